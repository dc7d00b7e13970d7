// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Handlers of a program's names and registrations: domains, strings, categories, threads, CUDA
// objects, resources. These calls are rare; they take a mutex and may allocate.
#include <cstring>

#include "collectors/nvtx/event_attributes.hpp"
#include "collectors/nvtx/handlers.hpp"
#include "collectors/nvtx/nvtx_text.hpp"
#include "collectors/nvtx/set_up.hpp"

namespace prof::collectors {
namespace {

// From nvToolsExtCuda.h and nvToolsExtCudaRt.h, which would pull in CUDA's headers.
constexpr std::int32_t kCudaClass = 4 << 16;
constexpr std::int32_t kCudartClass = 5 << 16;

/// NVTX's handles are pointers that only the tool interprets; ours are numbers.
template <typename Handle>
Handle to_handle(std::uint64_t number) noexcept {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));  // NOLINT
}

template <typename Char>
void name_object(NameRecord::Kind kind, DomainId domain, std::uint64_t object,
                 const Char* name) noexcept {
  set_up(false, [&](ProgramObjects& objects) {
    objects.set_name(kind, domain, object, to_string(name));
    return true;
  });
}

template <NameRecord::Kind kind, typename Handle, typename Char>
void NVTX_API on_name(Handle handle, const Char* name) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    name_object(kind, kDefaultDomain, reinterpret_cast<std::uintptr_t>(handle), name);
  } else {
    name_object(kind, kDefaultDomain, static_cast<std::uint64_t>(handle), name);
  }
}

template <typename Char>
void NVTX_API on_name_category(std::uint32_t category, const Char* name) noexcept {
  name_object(NameRecord::Kind::kCategory, kDefaultDomain, category, name);
}

template <typename Char>
void NVTX_API on_name_domain_category(nvtxDomainHandle_t handle, std::uint32_t category,
                                      const Char* name) noexcept {
  set_up(false, [&](ProgramObjects& objects) {
    const Domain* domain = to_domain(handle);
    if (domain == nullptr) return false;
    objects.set_name(NameRecord::Kind::kCategory, domain->id, category, to_string(name));
    return true;
  });
}

template <typename Char>
void NVTX_API on_name_thread(std::uint32_t os_tid, const Char* name) noexcept {
  set_up(false, [&](ProgramObjects& objects) {
    objects.name_thread(os_tid, to_string(name));
    return true;
  });
}

template <typename Char>
nvtxDomainHandle_t NVTX_API on_create_domain(const Char* name) noexcept {
  return set_up(nvtxDomainHandle_t{}, [&](ProgramObjects& objects) {
    return to_handle<nvtxDomainHandle_t>(objects.create_domain(to_string(name)));
  });
}

void NVTX_API on_destroy_domain(nvtxDomainHandle_t domain) noexcept {
  set_up(false, [&](ProgramObjects& objects) {
    const bool destroyed = objects.destroy_domain(reinterpret_cast<std::uintptr_t>(domain));
    if (!destroyed && domain != nullptr) count_call();
    return destroyed;
  });
}

template <typename Char>
nvtxStringHandle_t NVTX_API on_register_string(nvtxDomainHandle_t, const Char* text) noexcept {
  return set_up(nvtxStringHandle_t{}, [&](ProgramObjects& objects) {
    return to_handle<nvtxStringHandle_t>(objects.register_string(to_string(text)));
  });
}

NameRecord::Kind resource_kind(std::int32_t type) noexcept {
  switch (type) {
    case kCudaClass | 1:
    case kCudartClass | 0:
      return NameRecord::Kind::kDevice;
    case kCudaClass | 2:
      return NameRecord::Kind::kContext;
    case kCudaClass | 3:
    case kCudartClass | 1:
      return NameRecord::Kind::kStream;
    case kCudaClass | 4:
    case kCudartClass | 2:
      return NameRecord::Kind::kEvent;
    default:
      return NameRecord::Kind::kOther;
  }
}

MappedString resource_name(const nvtxResourceAttributes_t& resource) {
  switch (resource.messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return to_string(resource.message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return to_string(resource.message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const RegisteredString* string = to_registered(resource.message.registered);
      return string == nullptr ? MappedString() : string->text;
    }
    default:
      return {};
  }
}

nvtxResourceHandle_t NVTX_API on_create_resource(nvtxDomainHandle_t handle,
                                                 nvtxResourceAttributes_t* attributes) noexcept {
  return set_up(nvtxResourceHandle_t{}, [&](ProgramObjects& objects) -> nvtxResourceHandle_t {
    nvtxResourceAttributes_t resource{};
    if (attributes != nullptr) {
      std::memcpy(&resource, attributes, sizeof resource.version + sizeof resource.size);
      if (resource.size >= sizeof resource) std::memcpy(&resource, attributes, sizeof resource);
    }
    if (resource.size < sizeof resource) {
      count_call();
      return nullptr;
    }
    const Domain* domain = to_domain(handle);
    if (domain == nullptr) return nullptr;
    const MappedString name = resource_name(resource);
    const std::uint64_t object = resource.identifier.ullValue;
    if (resource.identifierType == NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE) {
      objects.name_thread(static_cast<std::uint32_t>(object), name);
    } else {
      objects.set_name(resource_kind(resource.identifierType), domain->id, object, name);
    }
    // A handle is only ever passed back to us, and a name outlives the named object.
    return reinterpret_cast<nvtxResourceHandle_t>(&global());
  });
}

void NVTX_API on_destroy_resource(nvtxResourceHandle_t) noexcept {}

}  // namespace

void install_core_names(const SlotTable& table) noexcept {
  table.set(NVTX_CBID_CORE_NameCategoryA, on_name_category<char>);
  table.set(NVTX_CBID_CORE_NameCategoryW, on_name_category<wchar_t>);
  table.set(NVTX_CBID_CORE_NameOsThreadA, on_name_thread<char>);
  table.set(NVTX_CBID_CORE_NameOsThreadW, on_name_thread<wchar_t>);
}

void install_core2_names(const SlotTable& table) noexcept {
  table.set(NVTX_CBID_CORE2_DomainResourceCreate, on_create_resource);
  table.set(NVTX_CBID_CORE2_DomainResourceDestroy, on_destroy_resource);
  table.set(NVTX_CBID_CORE2_DomainNameCategoryA, on_name_domain_category<char>);
  table.set(NVTX_CBID_CORE2_DomainNameCategoryW, on_name_domain_category<wchar_t>);
  table.set(NVTX_CBID_CORE2_DomainRegisterStringA, on_register_string<char>);
  table.set(NVTX_CBID_CORE2_DomainRegisterStringW, on_register_string<wchar_t>);
  table.set(NVTX_CBID_CORE2_DomainCreateA, on_create_domain<char>);
  table.set(NVTX_CBID_CORE2_DomainCreateW, on_create_domain<wchar_t>);
  table.set(NVTX_CBID_CORE2_DomainDestroy, on_destroy_domain);
}

void install_cuda_names(const SlotTable& table) noexcept {
  using Kind = NameRecord::Kind;
  table.set(NVTX_CBID_CUDA_NameCuDeviceA, on_name<Kind::kDevice, nvtx_CUdevice, char>);
  table.set(NVTX_CBID_CUDA_NameCuDeviceW, on_name<Kind::kDevice, nvtx_CUdevice, wchar_t>);
  table.set(NVTX_CBID_CUDA_NameCuContextA, on_name<Kind::kContext, nvtx_CUcontext, char>);
  table.set(NVTX_CBID_CUDA_NameCuContextW, on_name<Kind::kContext, nvtx_CUcontext, wchar_t>);
  table.set(NVTX_CBID_CUDA_NameCuStreamA, on_name<Kind::kStream, nvtx_CUstream, char>);
  table.set(NVTX_CBID_CUDA_NameCuStreamW, on_name<Kind::kStream, nvtx_CUstream, wchar_t>);
  table.set(NVTX_CBID_CUDA_NameCuEventA, on_name<Kind::kEvent, nvtx_CUevent, char>);
  table.set(NVTX_CBID_CUDA_NameCuEventW, on_name<Kind::kEvent, nvtx_CUevent, wchar_t>);
}

void install_cudart_names(const SlotTable& table) noexcept {
  using Kind = NameRecord::Kind;
  table.set(NVTX_CBID_CUDART_NameCudaDeviceA, on_name<Kind::kDevice, int, char>);
  table.set(NVTX_CBID_CUDART_NameCudaDeviceW, on_name<Kind::kDevice, int, wchar_t>);
  table.set(NVTX_CBID_CUDART_NameCudaStreamA, on_name<Kind::kStream, nvtx_cudaStream_t, char>);
  table.set(NVTX_CBID_CUDART_NameCudaStreamW, on_name<Kind::kStream, nvtx_cudaStream_t, wchar_t>);
  table.set(NVTX_CBID_CUDART_NameCudaEventA, on_name<Kind::kEvent, nvtx_cudaEvent_t, char>);
  table.set(NVTX_CBID_CUDART_NameCudaEventW, on_name<Kind::kEvent, nvtx_cudaEvent_t, wchar_t>);
}

void install_opencl(const SlotTable& table) noexcept {
  for (unsigned int id = NVTX_CBID_OPENCL_INVALID + 1; id < NVTX_CBID_OPENCL_SIZE; id += 2) {
    table.set(id, Counted<void (*)(void*, const char*)>::call);
    table.set(id + 1, Counted<void (*)(void*, const wchar_t*)>::call);
  }
}

void install_sync(const SlotTable& table) noexcept {
  table.set(NVTX_CBID_SYNC_DomainSyncUserCreate,
            Counted<nvtxDomainSyncUserCreate_fakeimpl_fntype>::call);
  for (unsigned int id = NVTX_CBID_SYNC_DomainSyncUserDestroy; id < NVTX_CBID_SYNC_SIZE; ++id) {
    table.set(id, Counted<nvtxDomainSyncUserDestroy_fakeimpl_fntype>::call);
  }
}

}  // namespace prof::collectors
