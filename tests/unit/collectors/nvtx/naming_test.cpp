// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What programs name and register; calls of kinds that are only counted; attaching.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "collectors/nvtx/nvtx_attach.hpp"
#include "tests/unit/collectors/nvtx/capture_fixture.hpp"

namespace prof::collectors {
namespace {

using Kind = NameRecord::Kind;

class NvtxNaming : public CaptureTest {
 protected:
  std::string name_of(Kind kind, std::uint64_t object, DomainId domain = kDefaultDomain) {
    std::string last = "(none)";
    for (const auto& name : sink->names) {
      if (name.record.kind == kind && name.record.object == object && name.record.domain == domain)
        last = name.text;
    }
    return last;
  }
  std::string thread_name() {
    for (const auto& [id, thread] : sink->threads) {
      if (thread.os_tid == static_cast<std::uint32_t>(gettid())) return sink->text(thread.name);
    }
    return "(none)";
  }
};

TEST_F(NvtxNaming, NamesGivenBeforeTheStartAndDuringItAreTold) {
  nvtxNameCategoryA(3, "before");
  start();
  nvtxNameCategoryW(4, L"during");
  nvtxNameCategoryA(3, "renamed");
  nvtxNameCudaDeviceA(1, "device");
  nvtxNameCudaStreamA(reinterpret_cast<cudaStream_t>(0x1000), "stream");
  nvtxNameCudaEventW(reinterpret_cast<cudaEvent_t>(0x2000), L"event");
  nvtxNameCuContextA(reinterpret_cast<CUcontext>(0x3000), "context");
  nvtxNameCuStreamW(reinterpret_cast<CUstream>(0x4000), nullptr);
  stop_clean();
  EXPECT_EQ(name_of(Kind::kCategory, 3), "renamed");
  EXPECT_EQ(name_of(Kind::kCategory, 4), "during");
  EXPECT_EQ(name_of(Kind::kDevice, 1), "device");
  EXPECT_EQ(name_of(Kind::kStream, 0x1000), "stream");
  EXPECT_EQ(name_of(Kind::kEvent, 0x2000), "event");
  EXPECT_EQ(name_of(Kind::kContext, 0x3000), "context");
  EXPECT_EQ(name_of(Kind::kStream, 0x4000), "");
}

TEST_F(NvtxNaming, CategoriesBelongToTheirDomain) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("naming");
  nvtxDomainNameCategoryA(domain, 3, "of the domain");
  nvtxDomainNameCategoryW(nullptr, 9, L"of the default domain");
  start();
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  nvtxDomainMarkEx(domain, &event);
  stop_clean();
  const DomainId id = sink->marks.at(0).record.domain;
  EXPECT_EQ(sink->domains.at(id.value), "naming");
  EXPECT_EQ(name_of(Kind::kCategory, 3, id), "of the domain");
  EXPECT_EQ(name_of(Kind::kCategory, 9), "of the default domain");
  nvtxDomainDestroy(domain);
}

TEST_F(NvtxNaming, DomainsMayBeCreatedAndDestroyedWithoutEnd) {
  nvtxDomainHandle_t first = nvtxDomainCreateA("again and again");
  nvtxDomainHandle_t second = nvtxDomainCreateA("again and again");
  EXPECT_NE(first, second) << "two of one name at a time are two";
  nvtxDomainDestroy(first);
  for (int i = 0; i < 100'000; ++i) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("again and again");
    ASSERT_NE(domain, nullptr) << "no more domains than ever were at a time";
    nvtxDomainDestroy(domain);
  }
  nvtxDomainDestroy(second);
}

nvtxEventAttributes_t registered_event(nvtxStringHandle_t string) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = string;
  return event;
}

template <typename Handle>
Handle handle_of(std::uint64_t number) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}

TEST_F(NvtxNaming, AHandleThatIsNoneOfADomainIsCountedAndNeverFollowed) {
  nvtxDomainHandle_t gone = nvtxDomainCreateA("gone");
  nvtxDomainDestroy(gone);
  nvtxDomainHandle_t here = nvtxDomainCreateA("here");
  const auto number = reinterpret_cast<std::uintptr_t>(here);
  int local = 0;
  const nvtxDomainHandle_t wrong[] = {
      gone,
      handle_of<nvtxDomainHandle_t>(1),
      handle_of<nvtxDomainHandle_t>(0xdeadbeefdeadbeef),
      handle_of<nvtxDomainHandle_t>(number + 60'000),
      handle_of<nvtxDomainHandle_t>(number | 0xffffffff),
      handle_of<nvtxDomainHandle_t>(number + (std::uint64_t{1} << 32)),
      reinterpret_cast<nvtxDomainHandle_t>(&local),  // Another tool's.
      reinterpret_cast<nvtxDomainHandle_t>(nvtxDomainRegisterStringA(nullptr, "a string")),
  };
  const auto event = registered_event(nullptr);
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  start();
  for (nvtxDomainHandle_t domain : wrong) {
    EXPECT_LT(nvtxDomainRangePushEx(domain, &event), 0);
    nvtxDomainMarkEx(domain, &event);
    EXPECT_EQ(nvtxDomainRangeStartEx(domain, &event), 0U);
    nvtxDomainNameCategoryA(domain, 1, "x");
    EXPECT_EQ(nvtxDomainResourceCreate(domain, &resource), nullptr);
    nvtxDomainDestroy(domain);
  }
  EXPECT_LT(nvtxDomainRangePop(wrong[1]), 0);
  nvtxDomainDestroy(nullptr);
  stop();
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 6 * std::size(wrong) + 1);
  EXPECT_TRUE(sink->recorded_ranges.empty());
  EXPECT_TRUE(sink->marks.empty());
  nvtxDomainDestroy(here);
}

TEST_F(NvtxNaming, ARangeOfADomainThatWasDestroyedCanStillBeClosed) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("closing");
  const auto event = registered_event(nvtxDomainRegisterStringA(domain, "still open"));
  start();
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &event), 0);
  nvtxDomainDestroy(domain);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  stop_clean();
  EXPECT_NE(only("still open").record.end_ns, 0);
}

TEST_F(NvtxNaming, AHandleThatIsNoneOfAStringGivesAnEmptyTextAndIsCounted) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("strings");
  const auto number =
      reinterpret_cast<std::uintptr_t>(nvtxDomainRegisterStringA(domain, "text of handle tests"));
  const nvtxStringHandle_t wrong[] = {
      handle_of<nvtxStringHandle_t>(8),
      handle_of<nvtxStringHandle_t>(0xdeadbeefdeadbeef),
      handle_of<nvtxStringHandle_t>(number + 1'000'000),
      reinterpret_cast<nvtxStringHandle_t>(&domain),
      reinterpret_cast<nvtxStringHandle_t>(domain),
  };
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  start();
  for (nvtxStringHandle_t string : wrong) {
    const auto event = registered_event(string);
    EXPECT_EQ(nvtxRangePushEx(&event), 0);
    EXPECT_EQ(nvtxRangePop(), 0);
    resource.message.registered = string;
    nvtxDomainResourceCreate(nullptr, &resource);
  }
  stop();
  EXPECT_EQ(sink->ranges("").size(), std::size(wrong));
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 2 * std::size(wrong));
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

TEST_F(NvtxNaming, ThreadsHaveTheProgramsNameOrTheSystems) {
  pthread_setname_np(pthread_self(), "sys name");
  nvtxNameOsThreadA(static_cast<std::uint32_t>(gettid()), "program's name");
  start();
  nvtxMarkA("x");
  std::uint32_t other = 0;
  std::thread([&] {
    other = static_cast<std::uint32_t>(gettid());
    pthread_setname_np(pthread_self(), "worker 7");
    nvtxMarkA("x");
  }).join();
  std::uint32_t renamed = 0;
  std::thread([&] {
    renamed = static_cast<std::uint32_t>(gettid());
    nvtxMarkA("x");
    nvtxNameOsThreadW(renamed, L"late name");
  }).join();
  stop_clean();
  EXPECT_EQ(thread_name(), "program's name");
  const auto name_of_last = [&](std::uint32_t os_tid) {
    ThreadRecord last;
    for (const auto& [id, thread] : sink->threads) {
      if (thread.os_tid == os_tid) last = thread;
    }
    return sink->text(last.name);
  };
  if (other != renamed) {
    EXPECT_EQ(name_of_last(other), "worker 7");
  }
  EXPECT_EQ(name_of_last(renamed), "late name");
}

TEST_F(NvtxNaming, ResourcesAreNames) {
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_CUDART_STREAM;
  resource.identifier.ullValue = 0x777;
  resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
  resource.message.ascii = "a stream";
  nvtxResourceHandle_t handle = nvtxDomainResourceCreate(nullptr, &resource);
  EXPECT_NE(handle, nullptr);
  nvtxDomainResourceDestroy(handle);
  resource.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  resource.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  resource.message.registered = nvtxDomainRegisterStringA(nullptr, "a pointer");
  nvtxDomainResourceCreate(nullptr, &resource);
  resource.messageType = 55;
  resource.identifier.ullValue = 0x778;
  nvtxDomainResourceCreate(nullptr, &resource);
  start();
  EXPECT_EQ(nvtxDomainResourceCreate(nullptr, nullptr), nullptr);
  resource.size = 4;
  EXPECT_EQ(nvtxDomainResourceCreate(nullptr, &resource), nullptr);
  nvtxDomainResourceDestroy(nullptr);
  stop();
  EXPECT_EQ(name_of(Kind::kStream, 0x777), "a stream");
  EXPECT_EQ(name_of(Kind::kOther, 0x777), "a pointer");
  EXPECT_EQ(name_of(Kind::kOther, 0x778), "");
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 2U);
}

TEST_F(NvtxNaming, SynchronizationCallsAreCounted) {
  start();
  nvtxSyncUserAttributes_t attributes{};
  nvtxSyncUser_t handle = nvtxDomainSyncUserCreate(nullptr, &attributes);
  nvtxDomainSyncUserAcquireStart(handle);
  nvtxDomainSyncUserAcquireFailed(handle);
  nvtxDomainSyncUserAcquireSuccess(handle);
  nvtxDomainSyncUserReleasing(handle);
  nvtxDomainSyncUserDestroy(handle);
  nvtxInitialize(nullptr);
  stop();
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 6U);
}

// The tables of a module of another NVTX version: shorter, with holes, without version information.
NvtxFunctionPointer g_slot_mark = nullptr, g_slot_push = nullptr, g_slot_cl = nullptr;
NvtxFunctionPointer* g_short_core[] = {nullptr, &g_slot_mark, nullptr};
NvtxFunctionPointer* g_opencl[] = {nullptr, &g_slot_cl};

int get_short_table(NvtxCallbackModule module, NvtxFunctionTable* table, unsigned int* size) {
  if (module == NVTX_CB_MODULE_CORE) {
    *table = g_short_core;
    *size = 2;  // The third is beyond the end.
    return 1;
  }
  if (module == NVTX_CB_MODULE_OPENCL) {
    *table = g_opencl;
    *size = 2;
    return 1;
  }
  return 0;
}

const void* short_export_table(std::uint32_t id) {
  static const NvtxExportTableCallbacks callbacks{sizeof(NvtxExportTableCallbacks),
                                                  get_short_table};
  return id == NVTX_ETID_CALLBACKS ? &callbacks : nullptr;
}

TEST_F(NvtxNaming, ModulesOfOtherVersionsAttachToo) {
  g_short_core[2] = &g_slot_push;
  const std::uint64_t before = nvtx_attached_modules();
  EXPECT_EQ(nvtx_attach(short_export_table), 1);
  EXPECT_EQ(nvtx_attached_modules(), before + 1);
  ASSERT_NE(g_slot_mark, nullptr);
  EXPECT_EQ(g_slot_push, nullptr) << "nothing is written beyond the table's end";
  ASSERT_NE(g_slot_cl, nullptr);
  start();
  reinterpret_cast<void (*)(void*, const char*)>(g_slot_cl)(nullptr, "an OpenCL device");
  stop();
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 1U);
}

TEST_F(NvtxNaming, WhatIsNoNvtxIsDeclined) {
  EXPECT_EQ(nvtx_attach(nullptr), 0);
  EXPECT_EQ(nvtx_attach([](std::uint32_t) -> const void* { return nullptr; }), 0);
  EXPECT_EQ(nvtx_attach_extension(nullptr), 0);
  nvtxExtModuleInfo_t module{};
  EXPECT_EQ(nvtx_attach_extension(&module), 0) << "no size";
  std::intptr_t slot = 0;
  nvtxExtModuleSegment_t segment{0, 1, &slot};
  module.structSize = sizeof module;
  module.segmentsCount = 1;
  module.segments = &segment;
  module.compatId = 0x0104;
  module.moduleId = 999;
  EXPECT_EQ(nvtx_attach_extension(&module), 0) << "unknown extension";
  module.moduleId = 2;
  module.compatId = 0x0904;
  EXPECT_EQ(nvtx_attach_extension(&module), 0) << "unknown major version";
  EXPECT_EQ(slot, 0);
}

TEST_F(NvtxNaming, InAForkedChildEveryCallReturnsAtOnce) {
  start();
  nvtxRangePushA("parent");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("fork");
  fork_prepare();
  const pid_t child = fork();
  if (child == 0) {
    fork_child(false);
    nvtxEventAttributes_t event{};
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    const bool none = nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING &&
                      nvtxRangePushA("x") == NVTX_NO_PUSH_POP_TRACKING &&
                      nvtxDomainRangePushEx(domain, &event) == NVTX_NO_PUSH_POP_TRACKING &&
                      nvtxRangeStartA("x") == 0 &&
                      nvtxDomainRegisterStringA(domain, "x") == nullptr &&
                      nvtxDomainCreateA("x") == nullptr && nvtx_attach(short_export_table) == 1;
    nvtxMarkA("x");
    nvtxNameCategoryA(1, "x");
    nvtxDomainDestroy(domain);
    _exit(none ? 0 : 1);
  }
  fork_parent();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(nvtxRangePop(), 0);
  stop_clean();
  EXPECT_EQ(sink->ranges("parent").size(), 1U);
}

}  // namespace
}  // namespace prof::collectors
