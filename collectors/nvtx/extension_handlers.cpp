// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Handlers of NVTX's extensions. Payloads: schemas, and ranges and marks described entirely by
// payloads. Scopes, time domains, deferred events and memory: counted.
#include <algorithm>
#include <span>
#include <utility>

#include "collectors/core/caller.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/nvtx/event_attributes.hpp"
#include "collectors/nvtx/extension_slots.hpp"
#include "collectors/nvtx/handlers.hpp"
#include "collectors/nvtx/payload_data.hpp"
#include "collectors/nvtx/payload_schema.hpp"
#include "collectors/nvtx/set_up.hpp"

#include <nvtx3/nvToolsExtMem.h>

namespace prof::collectors {
namespace {

constexpr std::size_t kMaxPayloads = 64;

/// An event's payloads, up to the limit; the rest are counted.
std::span<const nvtxPayloadData_t> some(const nvtxPayloadData_t* payloads,
                                        std::size_t count) noexcept {
  if (payloads == nullptr) return {};
  if (count > kMaxPayloads) global().losses.add(Loss::kPayloadNotKept, count - kMaxPayloads);
  return {payloads, std::min(count, kMaxPayloads)};
}

int NVTX_API on_push_payload(nvtxDomainHandle_t handle, const nvtxPayloadData_t* data,
                             std::size_t count) noexcept {
  const Caller caller;
  if (!caller && !caller.refused()) return NVTX_NO_PUSH_POP_TRACKING;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  if (!caller) {
    refuse_push(domain->id);
    return NVTX_NO_PUSH_POP_TRACKING;
  }
  const auto payloads = some(data, count);
  const Annotation annotation =
      read_message(*caller.thread, *domain, payloads.data(), payloads.size());
  const PushPopResult pushed = push_range(*caller.thread, caller.epoch, annotation);
  keep_payloads(*caller.thread, caller.epoch, Attachment::kRange, pushed.range, *domain,
                payloads.data(), payloads.size());
  return pushed.level;
}

int NVTX_API on_pop_payload(nvtxDomainHandle_t handle, const nvtxPayloadData_t* data,
                            std::size_t count) noexcept {
  const Caller caller;
  if (!caller && !caller.refused()) return NVTX_NO_PUSH_POP_TRACKING;
  const Domain* domain = to_domain_of_open(handle);
  if (domain == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  if (!caller) {
    refuse_pop(domain->id);
    return NVTX_NO_PUSH_POP_TRACKING;
  }
  const auto payloads = some(data, count);
  if (caller.epoch != 0 && !payloads.empty()) {
    const RangeId range = innermost_range(*caller.thread, caller.epoch, domain->id);
    keep_payloads(*caller.thread, caller.epoch, Attachment::kRange, range, *domain, payloads.data(),
                  payloads.size());
  }
  return pop_range(*caller.thread, caller.epoch, domain->id).level;
}

nvtxRangeId_t NVTX_API on_start_payload(nvtxDomainHandle_t handle, const nvtxPayloadData_t* data,
                                        std::size_t count) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller) return 0;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return 0;
  const auto payloads = some(data, count);
  const Annotation annotation =
      read_message(*caller.thread, *domain, payloads.data(), payloads.size());
  const RangeId id = start_process_range(*caller.thread, annotation);
  keep_payloads(*caller.thread, caller.epoch, Attachment::kProcessRange, id, *domain,
                payloads.data(), payloads.size());
  return id;
}

void NVTX_API on_end_payload(nvtxDomainHandle_t handle, nvtxRangeId_t id,
                             const nvtxPayloadData_t* data, std::size_t count) noexcept {
  const Caller caller;
  if (caller.refused() && id != 0) refuse_event();
  if (!caller) return;
  // The id alone names the range; the domain has the payloads' schemas.
  const Domain* domain = to_domain_of_open(handle);
  if (domain != nullptr) {
    const auto payloads = some(data, count);
    keep_payloads(*caller.thread, caller.epoch, Attachment::kProcessRange, id, *domain,
                  payloads.data(), payloads.size());
  }
  end_process_range(*caller.thread, caller.epoch, id);
}

void NVTX_API on_mark_payload(nvtxDomainHandle_t handle, const nvtxPayloadData_t* data,
                              std::size_t count) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller) return;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return;
  const auto payloads = some(data, count);
  const Annotation annotation =
      read_message(*caller.thread, *domain, payloads.data(), payloads.size());
  if (!mark(*caller.thread, caller.epoch, annotation)) return;
  keep_payloads(*caller.thread, caller.epoch, Attachment::kMark, 0, *domain, payloads.data(),
                payloads.size());
}

template <typename Attributes, typename Read>
std::uint64_t add_schema(nvtxDomainHandle_t handle, const Attributes* attributes,
                         Read read) noexcept {
  return set_up(std::uint64_t{0}, [&](ProgramObjects& objects) -> std::uint64_t {
    Domain* domain = to_domain(handle);
    if (domain == nullptr) return 0;
    if (attributes != nullptr) {
      if (auto schema = read(*domain, *attributes)) {
        return objects.add_schema(*domain, std::move(*schema));
      }
    }
    count_call();
    return 0;
  });
}

std::uint64_t NVTX_API on_schema(nvtxDomainHandle_t handle,
                                 const nvtxPayloadSchemaAttr_t* attributes) noexcept {
  return add_schema(handle, attributes, read_schema);
}

std::uint64_t NVTX_API on_enum(nvtxDomainHandle_t handle,
                               const nvtxPayloadEnumAttr_t* attributes) noexcept {
  return add_schema(handle, attributes, [](const Domain&, const nvtxPayloadEnumAttr_t& read) {
    return read_enum(read);
  });
}

std::uint8_t NVTX_API on_is_enabled(nvtxDomainHandle_t) noexcept {
  return is_dead(recording_epoch()) ? 0 : 1;
}

std::int64_t NVTX_API on_timestamp() noexcept { return now_ns(); }

/// Returns ids that a program may choose itself, so that it can continue to use them.
std::uint64_t NVTX_API on_scope(nvtxDomainHandle_t, const nvtxScopeAttr_t* attributes) noexcept {
  count_call();
  return attributes == nullptr ? NVTX_SCOPE_NONE : attributes->scopeId;
}

std::uint64_t NVTX_API on_time_domain(nvtxDomainHandle_t,
                                      const nvtxTimeDomainAttr_t* attributes) noexcept {
  count_call();
  return attributes == nullptr ? NVTX_TIME_DOMAIN_ID_NONE : attributes->timeDomainId;
}

void install_payload(const ExtensionSlots& slots) noexcept {
  slots.set(NVTX3EXT_CBID_nvtxPayloadSchemaRegister, on_schema);
  slots.set(NVTX3EXT_CBID_nvtxPayloadEnumRegister, on_enum);
  slots.set(NVTX3EXT_CBID_nvtxMarkPayload, on_mark_payload);
  slots.set(NVTX3EXT_CBID_nvtxRangePushPayload, on_push_payload);
  slots.set(NVTX3EXT_CBID_nvtxRangePopPayload, on_pop_payload);
  slots.set(NVTX3EXT_CBID_nvtxRangeStartPayload, on_start_payload);
  slots.set(NVTX3EXT_CBID_nvtxRangeEndPayload, on_end_payload);
  slots.set(NVTX3EXT_CBID_nvtxDomainIsEnabled, on_is_enabled);
  slots.set(NVTX3EXT_CBID_nvtxScopeRegister, on_scope);
  slots.set(NVTX3EXT_CBID_nvtxTimestampGet, on_timestamp);
  slots.set(NVTX3EXT_CBID_nvtxTimeDomainRegister, on_time_domain);
  slots.count<decltype(nvtxTimerSource)>(NVTX3EXT_CBID_nvtxTimerSource);
  slots.count<decltype(nvtxTimerSourceWithData)>(NVTX3EXT_CBID_nvtxTimerSourceWithData);
  slots.count<decltype(nvtxTimeSyncPoint)>(NVTX3EXT_CBID_nvtxTimeSyncPoint);
  slots.count<decltype(nvtxTimeSyncPointTable)>(NVTX3EXT_CBID_nvtxTimeSyncPointTable);
  slots.count<decltype(nvtxTimestampConversionFactor)>(NVTX3EXT_CBID_nvtxTimestampConversionFactor);
  slots.count<decltype(nvtxEventSubmit)>(NVTX3EXT_CBID_nvtxEventSubmit);
  slots.count<decltype(nvtxEventBatchSubmit)>(NVTX3EXT_CBID_nvtxEventBatchSubmit);
}

void install_memory(const ExtensionSlots& slots) noexcept {
  slots.count<decltype(nvtxMemHeapRegister)>(NVTX3EXT_CBID_nvtxMemHeapRegister);
  slots.count<decltype(nvtxMemHeapUnregister)>(NVTX3EXT_CBID_nvtxMemHeapUnregister);
  slots.count<decltype(nvtxMemHeapReset)>(NVTX3EXT_CBID_nvtxMemHeapReset);
  slots.count<decltype(nvtxMemRegionsRegister)>(NVTX3EXT_CBID_nvtxMemRegionsRegister);
  slots.count<decltype(nvtxMemRegionsResize)>(NVTX3EXT_CBID_nvtxMemRegionsResize);
  slots.count<decltype(nvtxMemRegionsUnregister)>(NVTX3EXT_CBID_nvtxMemRegionsUnregister);
  slots.count<decltype(nvtxMemRegionsName)>(NVTX3EXT_CBID_nvtxMemRegionsName);
  slots.count<decltype(nvtxMemPermissionsAssign)>(NVTX3EXT_CBID_nvtxMemPermissionsAssign);
  slots.count<decltype(nvtxMemPermissionsCreate)>(NVTX3EXT_CBID_nvtxMemPermissionsCreate);
  slots.count<decltype(nvtxMemPermissionsDestroy)>(NVTX3EXT_CBID_nvtxMemPermissionsDestroy);
  slots.count<decltype(nvtxMemPermissionsReset)>(NVTX3EXT_CBID_nvtxMemPermissionsReset);
  slots.count<decltype(nvtxMemPermissionsBind)>(NVTX3EXT_CBID_nvtxMemPermissionsBind);
  slots.count<decltype(nvtxMemPermissionsUnbind)>(NVTX3EXT_CBID_nvtxMemPermissionsUnbind);
  // Declared in a header that needs the CUDA runtime's.
  slots.count<nvtxMemPermissionsHandle_t(nvtxDomainHandle_t)>(
      NVTX3EXT_CBID_nvtxMemCudaGetProcessWidePermissions);
  slots.count<nvtxMemPermissionsHandle_t(nvtxDomainHandle_t, int)>(
      NVTX3EXT_CBID_nvtxMemCudaGetDeviceWidePermissions);
  slots.count<void(nvtxDomainHandle_t, nvtxMemPermissionsHandle_t, int, std::uint32_t)>(
      NVTX3EXT_CBID_nvtxMemCudaSetPeerAccess);
  slots.count<void(nvtxDomainHandle_t, void*, std::uint8_t, const void*)>(
      NVTX3EXT_CBID_nvtxMemCudaMarkInitialized);
}

}  // namespace

bool install_extension(const nvtxExtModuleInfo_t& module) noexcept {
  // One major version of each is known; its minor versions only add functions.
  constexpr unsigned int kKnownMajor = 1;
  if (module.compatId >> 8 != kKnownMajor || module.segmentsCount == 0 ||
      module.segments == nullptr || module.segments->functionSlots == nullptr) {
    return false;
  }
  const ExtensionSlots slots(*module.segments);
  switch (module.moduleId) {
    case NVTX_EXT_PAYLOAD_MODULEID:
      install_payload(slots);
      return true;
    case kCountersModule:
      install_counters(slots);
      return true;
    case NVTX_EXT_MODULEID_MEM:
      install_memory(slots);
      return true;
    default:
      return false;
  }
}

}  // namespace prof::collectors
