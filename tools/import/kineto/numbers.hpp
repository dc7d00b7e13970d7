// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a Kineto event as records hold them: none of them is cut to fit. One thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tools/import/kineto/damage.hpp"
#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

/// Numbers of what a file names by any text or number: equal ones for equal names. Those that fit
/// in 32 bits keep theirs, the others get one from 2^31 on: HIP's streams are addresses.
class NumberedNames {
 public:
  std::uint32_t of(const EventValue& name) {
    const auto number = name.whole();
    if (number && *number < kFirst) return static_cast<std::uint32_t>(*number);
    const auto [found, is_new] =
        numbers_.try_emplace(name.text, kFirst + static_cast<std::uint32_t>(numbers_.size()));
    return found->second;
  }

 private:
  static constexpr std::uint32_t kFirst = 1U << 31;
  std::map<std::string, std::uint32_t> numbers_;
};

class Numbers32 {
 public:
  Numbers32(const TraceEvent& event, Damage& damage) : event_(event), damage_(damage) {}

  /// 0 if there is none; a negative number says the same. One that does not fit is unknown, too,
  /// and counted.
  std::uint32_t of(const EventValue* value) { return value == nullptr ? 0 : fitting(*value); }
  std::uint32_t operator()(std::string_view name) { return of(event_.arg(name)); }
  /// The argument, or another field of the event if it has no such argument.
  std::uint32_t of(std::string_view name, const EventValue& other) {
    return fitting(value_of(name, other));
  }
  [[nodiscard]] const EventValue& value_of(std::string_view name, const EventValue& other) const {
    const EventValue* const value = event_.arg(name);
    const bool is_number =
        value != nullptr && (value->kind == EventValue::Kind::kNumber || value->whole());
    return is_number ? *value : other;
  }

 private:
  std::uint32_t fitting(const EventValue& value) {
    const auto number = value.whole();
    const bool is_number = value.kind == EventValue::Kind::kNumber;
    if ((!number && !is_number) || value.text.starts_with('-')) return 0;
    if (number && *number <= std::numeric_limits<std::uint32_t>::max()) {
      return static_cast<std::uint32_t>(*number);
    }
    damage_.count(Damage::Kind::kWideNumber);
    return 0;
  }

  const TraceEvent& event_;
  Damage& damage_;
};

/// A number of bytes: 0 if it is absent or negative.
inline std::uint64_t bytes_of(const TraceEvent& event) {
  const EventValue* const value = event.arg("bytes");
  if (value == nullptr || value->text.starts_with('-')) return 0;
  return value->whole().value_or(0);
}

/// CUPTI's correlation ids have 32 bits; those above 2^31 may be printed as negative numbers.
inline std::uint64_t correlation_of(const TraceEvent& event) {
  const std::uint64_t number = event.number("correlation").value_or(0);
  const auto with_sign = static_cast<std::int64_t>(number);
  const bool is_wrapped = with_sign < 0 && with_sign >= std::numeric_limits<std::int32_t>::min();
  return is_wrapped ? static_cast<std::uint32_t>(number) : number;
}

}  // namespace prof::importers
