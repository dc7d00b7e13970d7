// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Binds values of records to parameters of a statement.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "libprof/model/record_parts.hpp"
#include "libprof/store/schema/wrapping_times.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

struct Blob {
  std::string_view bytes;
};
struct TextOrNull {
  std::string_view bytes;
};
struct BlobOrNull {
  std::string_view bytes;
};

/// 64-bit numbers keep their bits.
template <std::integral Number>
void bind_value(Statement& statement, int parameter, Number value) {
  statement.bind(parameter, static_cast<std::int64_t>(value));
}
template <typename Value>
void bind_value(Statement& statement, int parameter, const std::optional<Value>& value) {
  value ? bind_value(statement, parameter, *value) : statement.bind_null(parameter);
}
inline void bind_value(Statement& statement, int parameter, std::string_view value) {
  statement.bind_text(parameter, value);
}
template <typename Tag>
void bind_value(Statement& statement, int parameter, Id<Tag> id) {
  statement.bind(parameter, id.value);
}
template <typename Enum>
requires std::is_enum_v<Enum>
void bind_value(Statement& statement, int parameter, Enum value) {
  statement.bind(parameter, static_cast<std::int64_t>(value));
}
inline void bind_value(Statement& statement, int parameter, TextOrNull text) {
  text.bytes.empty() ? statement.bind_null(parameter) : statement.bind_text(parameter, text.bytes);
}
inline void bind_value(Statement& statement, int parameter, Blob blob) {
  statement.bind_blob(parameter, blob.bytes);
}
inline void bind_value(Statement& statement, int parameter, BlobOrNull blob) {
  blob.bytes.empty() ? statement.bind_null(parameter) : statement.bind_blob(parameter, blob.bytes);
}

/// Size of the bytes that a waiting row keeps in memory beyond its numbers.
template <typename Value>
std::uint64_t bytes_of(const Value& value) {
  if constexpr (std::same_as<Value, std::string_view>) {
    return value.size();
  } else if constexpr (requires { value.bytes; }) {
    return value.bytes.size();
  } else {
    return 0;
  }
}

/// Absent if either time is unknown.
inline std::optional<std::int64_t> duration(std::int64_t start_ns, std::int64_t end_ns) {
  if (start_ns == 0 || end_ns == 0) return std::nullopt;
  return wrapping_difference(end_ns, start_ns);
}

}  // namespace prof
