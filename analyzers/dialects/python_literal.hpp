// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what Python's repr() prints of dicts, lists, tuples, strings, numbers, True, False and
// None, and JSON, which is nearly a part of that. Nothing is evaluated. Pure, never throws.
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
  std::vector<PythonValue> items;  ///< Of a list or tuple; of a dict its values.
  std::vector<std::string> keys;   ///< Of a dict, as many as items.

  /// The value at `key`, or null.
  [[nodiscard]] const PythonValue* at(std::string_view key) const;
};

/// The value if `text` is one and nothing else; at most 32 levels deep, at most 100,000 values.
std::optional<PythonValue> read_python(std::string_view text);

}  // namespace prof::dialects
