// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands of another profiler in the program, which counts the records that it gets.
// clang-format off
//   tool share [graphs]   subscribes as CUDA 13.3 allows several to; "graphs": has them recorded whole
//   tool alone            subscribes as before; each says "tool: RESULT" with CUPTI's number
//   tool enable KIND      kernels, copies or sets
//   tool end              flushes, unsubscribes and says "tool: kernels N copies N sets N other N"
// clang-format on
#include <cupti.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runner.hpp"

namespace {

/// As NVIDIA's documentation of 13.3 has it; the toolkit's headers may be older.
struct ShareParameters {
  std::size_t struct_size = sizeof(ShareParameters);
  const char* name = "the tool";
  char* old_name = nullptr;
  std::size_t old_size = 0;
  std::uint8_t allow_multiple = 1;
  std::uint8_t padding[7] = {};
};

constexpr int kWholeGraphs = 20;

enum Counter : std::size_t { kKernels, kCopies, kSets, kOther, kCounters };

struct Tool {
  CUpti_SubscriberHandle subscriber = nullptr;
  bool is_shared = false;
  std::array<std::atomic<std::uint64_t>, kCounters> counts{};
};

Tool& the_tool() {
  static Tool* tool = new Tool;
  return *tool;
}

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
  static void* const library = dlopen("libcupti.so.13", RTLD_NOW);
  if (library == nullptr) std::exit(71);
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function == nullptr ? -1 : function(arguments...);
}

void wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records, void*) {
  *bytes = 1U << 16U;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, *bytes));
  *max_records = 0;
}

void wanted_alone(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  wanted(buffer, bytes, max_records, nullptr);
}

void count(std::uint8_t* buffer, std::size_t valid_bytes) {
  Tool& tool = the_tool();
  CUpti_Activity* record = nullptr;
  const auto next = [&] {
    return tool.is_shared ? call("cuptiActivityGetNextRecord_v2", tool.subscriber, buffer,
                                 valid_bytes, &record)
                          : call("cuptiActivityGetNextRecord", buffer, valid_bytes, &record);
  };
  while (valid_bytes > 0 && next() == CUPTI_SUCCESS) {
    const auto kind = record->kind;
    ++tool.counts[kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? kKernels
                  : kind == CUPTI_ACTIVITY_KIND_MEMCPY          ? kCopies
                  : kind == CUPTI_ACTIVITY_KIND_MEMSET          ? kSets
                                                                : kOther];
  }
  std::free(buffer);
}

void filled(std::uint8_t* buffer, std::size_t, std::size_t valid_bytes, void*) {
  count(buffer, valid_bytes);
}

void filled_alone(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                  std::size_t valid_bytes) {
  count(buffer, valid_bytes);
}

void on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

int share(Tool& tool, bool whole_graphs) {
  ShareParameters parameters;
  const int result = call("cuptiSubscribe_v2", &tool.subscriber, &on_call,
                          static_cast<void*>(nullptr), &parameters);
  if (result != CUPTI_SUCCESS) return result;
  tool.is_shared = true;
  std::uint8_t is_on = 1;
  std::size_t bytes = sizeof is_on;
  if (whole_graphs)
    call("cuptiActivitySetAttribute_v2", tool.subscriber, kWholeGraphs, &bytes, &is_on);
  return call("cuptiActivityRegisterCallbacks_v2", tool.subscriber, &wanted, &filled);
}

int be_alone(Tool& tool) {
  const int result =
      call("cuptiSubscribe", &tool.subscriber, &on_call, static_cast<void*>(nullptr));
  if (result != CUPTI_SUCCESS) return result;
  return call("cuptiActivityRegisterCallbacks", &wanted_alone, &filled_alone);
}

int enable(Tool& tool, std::string_view word) {
  const int kind = word == "kernels"  ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                   : word == "copies" ? CUPTI_ACTIVITY_KIND_MEMCPY
                                      : CUPTI_ACTIVITY_KIND_MEMSET;
  if (!tool.is_shared) return call("cuptiActivityEnable", kind);
  return call("cuptiActivityEnable_v2", tool.subscriber, kind, static_cast<void*>(nullptr));
}

void tool_command(Runner&, const Statement& statement) {
  Tool& tool = the_tool();
  const std::string_view what = statement.words.at(1);
  if (what == "share") {
    std::printf("tool: %d\n", share(tool, statement.words.size() > 2));
  } else if (what == "alone") {
    std::printf("tool: %d\n", be_alone(tool));
  } else if (what == "enable") {
    if (enable(tool, statement.words.at(2)) != CUPTI_SUCCESS) std::exit(72);
  } else {
    call("cuptiActivityFlushAll", 1U);
    const int result = call("cuptiUnsubscribe", tool.subscriber);
    const auto number = [&](Counter of) {
      return static_cast<unsigned long long>(tool.counts[of].load());
    };
    std::printf("tool: kernels %llu copies %llu sets %llu other %llu, %d\n", number(kKernels),
                number(kCopies), number(kSets), number(kOther), result);
  }
  std::fflush(stdout);
}

}  // namespace

void add_tool_commands(CommandTable& table) { table["tool"] = tool_command; }
