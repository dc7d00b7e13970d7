// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what Python's repr() prints for dicts, lists, tuples, strings, numbers, True, False and
// None, and JSON, which is nearly a subset. Nothing is evaluated. Pure, never throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::dialects {

/// One value; `kind` says which members are set.
struct PythonValue {
  enum class Kind : std::uint8_t { kNone, kBool, kInteger, kReal, kText, kList, kDict };
  Kind kind = Kind::kNone;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<PythonValue> items;  ///< Elements of a list or tuple; values of a dict.
  std::vector<std::string> keys;   ///< Keys of a dict, one per item.

  /// The value at `key`, or null.
  [[nodiscard]] const PythonValue* at(std::string_view key) const;
};

/// The value if `text` is exactly one; at most 32 levels deep, at most 100,000 values.
std::optional<PythonValue> read_python(std::string_view text);

}  // namespace prof::dialects
