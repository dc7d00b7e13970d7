// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as keys, see group_key.hpp.
#include "tools/report/builtin/group_key.hpp"

#include <bit>
#include <cstring>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/table/owned_cells.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

/// Most significant byte first.
void append_bits(std::uint64_t bits, std::string& key) {
  char raw[sizeof bits];
  for (std::size_t i = sizeof bits; i-- > 0; bits >>= 8U) raw[i] = static_cast<char>(bits);
  key.append(raw, sizeof raw);
}

/// Ends with two zero bytes. A zero byte in the text is followed by another one than that.
void append_key_text(std::string_view text, std::string& key) {
  while (true) {
    const std::size_t zero = text.find('\0');
    key += text.substr(0, zero);
    key += '\0';
    if (zero == std::string_view::npos) break;
    key += '\xff';
    text.remove_prefix(zero + 1);
  }
  key += '\0';
}

}  // namespace

void append_key(const Cell& cell, std::string& key) {
  key += static_cast<char>(cell.index());
  if (std::holds_alternative<Absent>(cell)) return;
  if (const auto* value = std::get_if<std::string_view>(&cell)) return append_key_text(*value, key);
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return append_bits(*count, key);
  if (const auto* value = std::get_if<std::int64_t>(&cell)) {
    return append_bits(ordered_bits(*value), key);
  }
  if (const auto value = number_in(cell)) {
    append_bits(ordered_bits(static_cast<double>(*value)), key);
  }
  std::string json;
  append_json(cell, json);
  append_key_text(json, key);
}

}  // namespace prof::reports
