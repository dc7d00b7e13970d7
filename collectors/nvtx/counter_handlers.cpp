// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX's counters. A sample is a mark with the counter's name: its number is the mark's payload,
// and a group's numbers are a binary payload with the group's schema. Batches have times of their
// own: they are only counted.
#include <bit>
#include <concepts>
#include <cstring>

#include "collectors/core/caller.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/nvtx/event_attributes.hpp"
#include "collectors/nvtx/extension_slots.hpp"
#include "collectors/nvtx/nvtx_text.hpp"
#include "collectors/nvtx/payload_data.hpp"
#include "collectors/nvtx/set_up.hpp"

#include <nvtx3/nvToolsExtCounters.h>

namespace prof::collectors {
namespace {

static_assert(kCountersModule == NVTX_EXT_COUNTERS_MODULEID);
static_assert(kFirstDynamicCounter == NVTX_COUNTER_ID_DYNAMIC_START);

Payload number(std::int64_t value) noexcept {
  return {Payload::Type::kInt64, static_cast<std::uint64_t>(value)};
}
Payload number(std::uint64_t value) noexcept { return {Payload::Type::kUint64, value}; }
Payload number(double value) noexcept {
  return {Payload::Type::kDouble, std::bit_cast<std::uint64_t>(value)};
}

template <typename Stored>
Payload read_as(const void* value, std::size_t size) noexcept {
  Stored stored{};
  if (value == nullptr || size < sizeof stored) return {};
  std::memcpy(&stored, value, sizeof stored);
  if constexpr (std::floating_point<Stored>) {
    return number(static_cast<double>(stored));
  } else if constexpr (std::signed_integral<Stored>) {
    return number(static_cast<std::int64_t>(stored));
  } else {
    return number(static_cast<std::uint64_t>(stored));
  }
}

/// A sample of a predefined type; none: the type is no number that a mark's payload can hold.
Payload read_number(std::uint64_t type, const void* value, std::size_t size) noexcept {
  switch (type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_INT8:
      return read_as<std::int8_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT8:
      return read_as<std::uint8_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_SHORT:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT16:
      return read_as<std::int16_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_USHORT:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT16:
      return read_as<std::uint16_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_INT:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT32:
      return read_as<std::int32_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT32:
      return read_as<std::uint32_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_LONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT64:
      return read_as<std::int64_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_SIZE:
      return read_as<std::uint64_t>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32:
      return read_as<float>(value, size);
    case NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64:
      return read_as<double>(value, size);
    default:
      return {};
  }
}

std::uint64_t NVTX_API on_register(nvtxDomainHandle_t handle,
                                   const nvtxCounterAttr_t* attributes) noexcept {
  return set_up(std::uint64_t{0}, [&](ProgramObjects& objects) -> std::uint64_t {
    Domain* domain = to_domain(handle);
    if (domain == nullptr) return 0;
    if (attributes == nullptr || attributes->structSize < sizeof *attributes) {
      count_call();
      return 0;
    }
    const std::uint64_t id = attributes->counterId;
    const bool is_own = id >= NVTX_COUNTER_ID_STATIC_START && id < kFirstDynamicCounter;
    return objects.add_counter(*domain, {is_own ? id : 0, attributes->schemaId},
                               to_string(attributes->name));
  });
}

/// Calls write(thread, epoch, domain, counter) for a sample that can be recorded.
template <typename Write>
void sample(nvtxDomainHandle_t handle, std::uint64_t id, Write write) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller) return;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return;
  const Counter* counter = ProgramObjects::find_counter(*domain, id);
  if (counter == nullptr) return count_call();
  write(*caller.thread, caller.epoch, *domain, *counter);
}

Annotation annotation_of(const Domain& domain, const Counter& counter, Payload payload) noexcept {
  Annotation annotation;
  annotation.domain = domain.id;
  annotation.registered = counter.name;
  annotation.payload_type = payload.type;
  annotation.payload_bits = payload.bits;
  return annotation;
}

void sample_number(nvtxDomainHandle_t handle, std::uint64_t id, Payload payload) noexcept {
  sample(handle, id,
         [payload](ThreadState& thread, std::uint32_t epoch, const Domain& domain,
                   const Counter& counter) {
           mark(thread, epoch, annotation_of(domain, counter, payload));
         });
}

void NVTX_API on_int64(nvtxDomainHandle_t handle, std::uint64_t id, std::int64_t value) noexcept {
  sample_number(handle, id, number(value));
}

void NVTX_API on_float64(nvtxDomainHandle_t handle, std::uint64_t id, double value) noexcept {
  sample_number(handle, id, number(value));
}

void NVTX_API on_sample(nvtxDomainHandle_t handle, std::uint64_t id, const void* value,
                        std::size_t size) noexcept {
  sample(handle, id,
         [value, size](ThreadState& thread, std::uint32_t epoch, const Domain& domain,
                       const Counter& counter) {
           const Payload payload = read_number(counter.schema, value, size);
           Annotation annotation = annotation_of(domain, counter, payload);
           annotation.has_blobs = payload.type == Payload::Type::kNone;
           if (!mark(thread, epoch, annotation) || !annotation.has_blobs) return;
           const nvtxPayloadData_t data{counter.schema, size, value};
           keep_payloads(thread, epoch, Attachment::kMark, 0, domain, &data, 1);
         });
}

/// A sample without a known value has no number.
void NVTX_API on_no_value(nvtxDomainHandle_t handle, std::uint64_t id,
                          std::uint8_t reason) noexcept {
  sample_number(handle, id,
                reason == NVTX_COUNTER_SAMPLE_ZERO ? number(std::int64_t{0}) : Payload{});
}

}  // namespace

void install_counters(const ExtensionSlots& slots) noexcept {
  slots.set(NVTX3EXT_CBID_nvtxCounterRegister, on_register);
  slots.set(NVTX3EXT_CBID_nvtxCounterSampleInt64, on_int64);
  slots.set(NVTX3EXT_CBID_nvtxCounterSampleFloat64, on_float64);
  slots.set(NVTX3EXT_CBID_nvtxCounterSample, on_sample);
  slots.set(NVTX3EXT_CBID_nvtxCounterSampleNoValue, on_no_value);
  slots.count<decltype(nvtxCounterBatchSubmit)>(NVTX3EXT_CBID_nvtxCounterBatchSubmit);
}

}  // namespace prof::collectors
