// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as keys, see group_key.hpp.
#include "tools/report/reports/group_key.hpp"

#include <algorithm>
#include <cstring>

namespace prof::reports {
namespace {

bool key_less(const Cell& a, const Cell& b) {
  if (a.index() != b.index()) return a.index() < b.index();
  if (const auto* value = std::get_if<std::string_view>(&a)) {
    return *value < std::get<std::string_view>(b);
  }
  if (const auto* value = std::get_if<std::uint64_t>(&a))
    return *value < std::get<std::uint64_t>(b);
  if (const auto* value = std::get_if<std::int64_t>(&a)) return *value < std::get<std::int64_t>(b);
  return false;
}

}  // namespace

void append_key(const Cell& cell, std::string& key) {
  std::uint64_t word = 0;
  if (const auto* value = std::get_if<std::string_view>(&cell)) {
    word = value->size();
  } else if (const auto* number = std::get_if<std::uint64_t>(&cell)) {
    word = *number;
  } else if (const auto* signed_number = std::get_if<std::int64_t>(&cell)) {
    word = static_cast<std::uint64_t>(*signed_number);
  }
  char raw[1 + sizeof word];
  raw[0] = static_cast<char>('0' + cell.index());
  std::memcpy(raw + 1, &word, sizeof word);
  key.append(raw, sizeof raw);
  if (const auto* value = std::get_if<std::string_view>(&cell)) key += *value;
}

Cell cell_in_key(const Cell& cell, std::string_view key, std::size_t& offset) {
  offset += 1 + sizeof(std::uint64_t);
  const auto* value = std::get_if<std::string_view>(&cell);
  if (value == nullptr) return cell;
  const std::string_view kept = key.substr(offset, value->size());
  offset += value->size();
  return Cell{std::in_place_type<std::string_view>, kept};
}

bool keys_less(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), key_less);
}

}  // namespace prof::reports
