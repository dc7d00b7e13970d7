// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/kind_filter.hpp"

#include <utility>

#include "tools/report/filter/capture_filter.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {

KindFilter::KindFilter(const RowKind& kind, const RowInput& input, TraceReader& trace)
    : kind_(kind),
      filter_(input.filter),
      tally_(input.tally.filter),
      captures_(trace.captures()),
      host_(trace, filter_, tally_, find_last_step(input.reading)) {
  tally_.columns.resize(filter_.columns.size());
  for (std::size_t i = 0; i < filter_.columns.size(); ++i) {
    ByColumn by{.index = i, .fields = {}};
    for (const std::string_view word : filter_.columns[i].option->columns) {
      if (const Field* const field = kind.find(word)) by.fields.push_back(field);
    }
    if (by.fields.empty()) continue;
    tally_.columns[i].applies = true;
    columns_.push_back(std::move(by));
  }
}

bool KindFilter::takes(Row& row) {
  bool wanted = true;
  for (const ByColumn& by : columns_) wanted &= passes(by, row);
  if (filter_.captures) wanted &= takes_capture(filter_, captures_, row.capture());
  if (kind_.steps == Steps::kOfHost) {
    wanted &= host_.takes(row.stack(), row.host_time_ns());
  } else if (kind_.ranges == Ranges::kOfStack) {
    wanted &= host_.takes_ranges(row.stack(), row.host_time_ns());
  }
  return wanted;
}

bool KindFilter::passes(const ByColumn& by, Row& row) {
  bool is_match = false;
  std::string_view first;
  for (const Field* field : by.fields) {
    const std::string_view value = text_of(field->value(row), field->column);
    if (field == by.fields.front()) first = kept_.assign(value);
    is_match = filter_.columns[by.index].matches(value);
    if (is_match) break;
  }
  tally_.columns[by.index].count(is_match, first);
  return is_match;
}

std::string_view KindFilter::text_of(const Cell& cell, const Column& column) {
  if (const auto* value = std::get_if<std::string_view>(&cell)) return *value;
  if (std::holds_alternative<Absent>(cell)) return {};
  value_.clear();
  append_value(cell, column, NumberStyle::kExact, value_);
  return value_;
}

}  // namespace prof::reports
