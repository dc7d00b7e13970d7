// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Types of the fields of records: ids, times, the payload of an NVTX event, dimensions. Times are
// nanoseconds of CLOCK_REALTIME, the clock that CUPTI maps device times to; a time of 0 means
// "unknown". Ids are assigned by the producer and unique in one process's capture; id 0 means
// "none".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/record_kind.hpp"

namespace prof {

/// A 32-bit id that cannot be confused with another kind of id. 0 is "none".
template <typename Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using StringId = Id<struct StringTag>;
using ThreadId = Id<struct ThreadTag>;
using DomainId = Id<struct DomainTag>;  ///< An NVTX domain; DomainId{1} is the default domain.

/// One opening of an NVTX range. Ids grow in the order in which a thread opens ranges. A range id
/// also identifies the whole stack that was open at the time: follow RangeRecord::parent.
using RangeId = std::uint64_t;

/// CUPTI's 32-bit correlation id, widened so that it never repeats in one process: the upper half
/// counts wraps and capture sessions. Grows in launch order over all threads. 0: no correlation.
using Correlation = std::uint64_t;

inline constexpr DomainId kDefaultDomain{1};
/// Replaces every text that exceeds the string table's limit; losses count them.
inline constexpr StringId kOverflowString{0xffffffffU};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};
constexpr double volume(const Dim3& dim) {
  return static_cast<double>(dim.x) * static_cast<double>(dim.y) * static_cast<double>(dim.z);
}

/// The typed 64-bit payload of an NVTX event (nvtxEventAttributes_t::payload).
struct Payload {
  enum class Type : std::uint8_t { kNone, kUint64, kInt64, kDouble, kUint32, kInt32, kFloat };
  Type type = Type::kNone;
  std::uint64_t bits = 0;  ///< The value's bits, zero-extended.
  friend bool operator==(const Payload&, const Payload&) = default;
};

/// Facts that a source states about the op that a range is, apart from the range's text, as the
/// observer of PyTorch and the files of other profilers do. Without a signature there are none.
/// docs/op_facts.md.
struct OpFact {
  StringId signature;                     ///< JSON, equal for equal calls.
  std::optional<std::uint64_t> sequence;  ///< Autograd's sequence number, as emit_nvtx writes it.
  ThreadId forward_thread;  ///< For a backward node: the thread that numbered its forward op.
  friend bool operator==(const OpFact&, const OpFact&) = default;
};

template <>
struct EnumWords<Payload::Type> {
  static constexpr std::array<std::string_view, 7> kWords = {"none",   "uint64", "int64", "double",
                                                             "uint32", "int32",  "float"};
};

}  // namespace prof
