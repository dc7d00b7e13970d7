// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes markers of calls as PyProf does, for tests: what Python's repr() prints for its dicts.
// `keyword` is empty for an argument that is passed by position.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prof::fakes::pyprof {

inline constexpr std::string_view kFunctional = "torch.nn.functional";

/// `shape` is what stands between a tuple's parentheses: "8, 16", "8," for one dimension.
inline std::string tensor(std::string_view shape, std::string_view dtype = "float16",
                          std::string_view keyword = "") {
  return "{'name': '" + std::string(keyword) + "', 'type': 'tensor', 'shape': (" +
         std::string(shape) + "), 'dtype': '" + std::string(dtype) + "'}";
}

inline std::string value(std::string_view type, std::string_view text,
                         std::string_view keyword = "") {
  return "{'name': '" + std::string(keyword) + "', 'type': '" + std::string(type) +
         "', 'value': " + std::string(text) + "}";
}

inline std::string whole(int number, std::string_view keyword = "") {
  return value("int", std::to_string(number), keyword);
}

inline std::string tuple(std::string_view items, std::string_view keyword = "") {
  return value("tuple", "(" + std::string(items) + ")", keyword);
}

inline std::string none(std::string_view keyword = "") {
  return value("NoneType", "None", keyword);
}

inline std::string yes(std::string_view keyword = "") { return value("bool", "True", keyword); }
inline std::string no(std::string_view keyword = "") { return value("bool", "False", keyword); }

inline std::string marker(std::string_view module, std::string_view function,
                          const std::vector<std::string>& arguments) {
  std::string text =
      "{'mod': '" + std::string(module) + "', 'op': '" + std::string(function) + "', 'args': [";
  for (const std::string& argument : arguments) {
    if (text.back() != '[') text += ", ";
    text += argument;
  }
  return text + "]}";
}

}  // namespace prof::fakes::pyprof
