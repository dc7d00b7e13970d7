// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Plain values as bytes, for temporary files that only the program that wrote them reads.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace prof::reports {

template <typename Value>
void append_plain(const Value& value, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Removes and returns what append_plain() appended.
template <typename Value>
Value take_plain(std::string_view& bytes) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

}  // namespace prof::reports
