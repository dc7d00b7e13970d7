// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines in order, see line_order.hpp.
#include "tools/report/filter/line_order.hpp"

#include <algorithm>
#include <variant>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/table/owned_cells.hpp"

namespace prof::reports {

int compare_in_order(const Cell& a, const Cell& b, bool ascending) {
  const bool has_absent = std::holds_alternative<Absent>(a) || std::holds_alternative<Absent>(b);
  const int order = compare_cells(a, b);
  return ascending || has_absent ? order : -order;
}

std::uint64_t order_rank(const Cell& cell, bool ascending) {
  if (std::holds_alternative<Absent>(cell)) return UINT64_MAX;
  // Numbers come before texts. The lowest bit gives way to that one.
  constexpr std::uint64_t kText = std::uint64_t{1} << 63U;
  std::uint64_t rank = kText;
  if (const auto number = number_in(cell)) {
    rank = ordered_bits(static_cast<double>(*number)) >> 1U;
  } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
    rank = kText | first_bits(*text) >> 1U;
  }
  return ascending ? rank : ~rank;
}

bool LineOrder::Before::operator()(std::string_view a, std::string_view b) const {
  CellReader reader;
  const Cell one = reader.take(a), other = reader.take(b);
  return compare_in_order(one, other, ascending) < 0;
}

Status LineOrder::add(const Cell& by, std::span<const Cell> line) {
  record_.clear();
  append_cell(by, record_);
  for (const Cell& cell : line) append_cell(cell, record_);
  return sort_.add(order_rank(by, ascending_), record_);
}

std::span<const Cell> LineOrder::next() {
  const SortedRecord* const record = sort_.next();
  if (record == nullptr) return {};
  std::string_view bytes = record->bytes;
  reader_.clear();
  reader_.take(bytes);
  cells_.clear();
  while (!bytes.empty()) cells_.push_back(reader_.take(bytes));
  return cells_;
}

}  // namespace prof::reports
