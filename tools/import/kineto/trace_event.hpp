// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceEvent: one event of a Chrome trace, and what its fields may hold.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libprof/base/ascii.hpp"

namespace prof::importers {

/// A value: text, number as it is written, list of values, or nothing (null, an object).
struct EventValue {
  enum class Kind : std::uint8_t { kNone, kText, kNumber, kBool, kList };
  Kind kind = Kind::kNone;
  std::string text;  ///< For a number its digits; for a bool "true" or "false".
  std::vector<EventValue> items;

  /// The whole number, also if it is given as a text, as older versions do. Negative ones wrap.
  [[nodiscard]] std::optional<std::uint64_t> whole() const {
    if (kind != Kind::kNumber && kind != Kind::kText) return std::nullopt;
    const char* const end = text.data() + text.size();
    std::uint64_t number = 0;
    if (const auto [at, error] = std::from_chars(text.data(), end, number);
        error == std::errc() && at == end) {
      return number;
    }
    std::int64_t negative = 0;
    if (const auto [at, error] = std::from_chars(text.data(), end, negative);
        error == std::errc() && at == end) {
      return static_cast<std::uint64_t>(negative);
    }
    return std::nullopt;
  }
};

/// "input_dims" is "Input Dims".
inline bool is_same_name(std::string_view one, std::string_view other) {
  const auto plain = [](char c) { return c == '_' ? ' ' : lower(c); };
  return std::ranges::equal(one, other, {}, plain, plain);
}

struct TraceEvent {
  struct Argument {
    std::string name;
    EventValue value;
  };

  std::string phase, category, name;
  bool has_name = false;  ///< The event has a name, which may be empty.
  EventValue process, thread, start, duration;
  EventValue id;  ///< The id of a flow: arrows with the same id are one flow.
  std::vector<Argument> args;

  /// Null if the event lacks it. Versions differ in capitals and underscores ("Input dims").
  [[nodiscard]] const EventValue* arg(std::string_view wanted) const {
    for (const Argument& argument : args) {
      if (is_same_name(argument.name, wanted)) return &argument.value;
    }
    return nullptr;
  }
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view wanted) const {
    const EventValue* const value = arg(wanted);
    return value == nullptr ? std::nullopt : value->whole();
  }
};

/// Nanoseconds in a number of microseconds as it is written, maybe as a text, exact to the
/// nanosecond; nullopt if it is not such a number.
std::optional<std::int64_t> nanoseconds(const EventValue& microseconds);

}  // namespace prof::importers
