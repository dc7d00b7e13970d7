// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as keys, see group_key.hpp.
#include "tools/report/reports/group_key.hpp"

#include <algorithm>
#include <cstring>

#include "tools/report/choose/owned_cells.hpp"
#include "tools/report/render/value_text.hpp"

namespace prof::reports {
namespace {

bool key_less(const Cell& a, const Cell& b) {
  if (a.index() != b.index()) return a.index() < b.index();
  return compare_cells(a, b) < 0;
}

void append(char kind, std::uint64_t word, std::string& key) {
  char raw[1 + sizeof word];
  raw[0] = kind;
  std::memcpy(raw + 1, &word, sizeof word);
  key.append(raw, sizeof raw);
}

void append(char kind, std::string_view text, std::string& key) {
  append(kind, std::uint64_t{text.size()}, key);
  key += text;
}

}  // namespace

void append_key(const Cell& cell, std::string& key) {
  const char kind = static_cast<char>('0' + cell.index());
  if (const auto* value = std::get_if<std::string_view>(&cell)) return append(kind, *value, key);
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return append(kind, *number, key);
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    return append(kind, static_cast<std::uint64_t>(*number), key);
  }
  if (std::holds_alternative<std::monostate>(cell)) return append(kind, std::uint64_t{0}, key);
  fmt::memory_buffer json;
  append_json(cell, json);
  append(kind, std::string_view(json.data(), json.size()), key);
}

bool keys_less(std::span<const Cell> a, std::span<const Cell> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), key_less);
}

}  // namespace prof::reports
