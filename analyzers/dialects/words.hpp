// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Small parsers shared by several dialects.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace prof::dialects {

/// The number if `text` is exactly one decimal integer.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// The number after `prefix` if `text` is the prefix and a number.
inline std::optional<std::int64_t> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return whole_number(text.substr(prefix.size()));
}

/// Removes and returns what `text` begins with, up to the next `separator`.
inline std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// True for the ranges that vLLM ("execute_context_1(512)_generation_8(8)") and SGLang
/// ("step[DECODE bs=8]") open around an iteration.
inline bool is_engine_iteration(std::string_view text) {
  if (text.starts_with("step[")) return text.ends_with(']');
  for (const std::string_view prefix : {"execute_context_", "execute_new_"}) {
    if (!text.starts_with(prefix) || text.size() == prefix.size()) continue;
    const char digit = text[prefix.size()];
    return digit >= '0' && digit <= '9';
  }
  return false;
}

}  // namespace prof::dialects
