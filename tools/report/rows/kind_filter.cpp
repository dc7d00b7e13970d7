// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/kind_filter.hpp"

#include <utility>

#include "tools/report/filter/capture_filter.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {

RowChooser::RowChooser(const RowKind& kind, const Choice& choice, ChoiceTally& tally,
                       TraceReader& trace)
    : kind_(kind),
      choice_(choice),
      tally_(tally),
      captures_(trace.captures()),
      host_(trace, choice, tally) {
  tally.columns.resize(choice.columns.size());
  for (std::size_t i = 0; i < choice.columns.size(); ++i) {
    Filter filter{.index = i, .fields = {}};
    for (const std::string_view word : choice.columns[i].option->columns) {
      if (const Field* const field = kind.find(word)) filter.fields.push_back(field);
    }
    if (filter.fields.empty()) continue;
    tally.columns[i].applies = true;
    filters_.push_back(std::move(filter));
  }
}

bool RowChooser::takes(Row& row) {
  bool wanted = true;
  for (const Filter& filter : filters_) wanted &= passes(filter, row);
  if (choice_.captures) wanted &= takes_capture(choice_, captures_, row.capture());
  if (kind_.steps == Steps::kOfHost) {
    wanted &= host_.takes(row.stack(), row.host_time_ns());
  } else if (kind_.ranges == Ranges::kOfStack) {
    wanted &= host_.takes_ranges(row.stack(), row.host_time_ns());
  }
  return wanted;
}

bool RowChooser::passes(const Filter& filter, Row& row) {
  bool is_match = false;
  std::string_view first;
  for (const Field* field : filter.fields) {
    const std::string_view value = text_of(field->value(row), field->column);
    if (field == filter.fields.front()) first = kept_.assign(value);
    is_match = choice_.columns[filter.index].matches(value);
    if (is_match) break;
  }
  tally_.columns[filter.index].count(is_match, first);
  return is_match;
}

std::string_view RowChooser::text_of(const Cell& cell, const Column& column) {
  if (const auto* value = std::get_if<std::string_view>(&cell)) return *value;
  if (std::holds_alternative<std::monostate>(cell)) return {};
  value_.clear();
  append_value(cell, column, NumberStyle::kExact, value_);
  return value_;
}

}  // namespace prof::reports
