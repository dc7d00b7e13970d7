// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowChooser: applies a Choice to the rows of a row kind. A filter of a column that the rows lack
// does not apply to them: the command line has refused what applies to no row of a report.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/report/choose/capture_choice.hpp"
#include "tools/report/choose/choice.hpp"
#include "tools/report/choose/host_chooser.hpp"
#include "tools/report/render/value_text.hpp"
#include "tools/report/rows/field.hpp"

namespace prof::reports {

/// The rows know the innermost range around them.
template <typename Row>
concept HasStack = requires(const Row& row) {
  { row.stack() } -> std::convertible_to<RangeId>;
};

/// The rows are of the host: they belong to the step on their stack, or else of their time.
template <typename Row>
concept HasHostTime = requires(const Row& row) {
  { row.host_time_ns() } -> std::convertible_to<std::optional<std::int64_t>>;
};
template <typename Row>
inline constexpr bool kHasHostSteps = HasStack<Row>&& HasHostTime<Row>;

template <typename Row>
class RowChooser {
 public:
  /// All must outlive it.
  RowChooser(std::span<const Field<Row>> fields, const Choice& choice, ChoiceTally& tally,
             TraceReader& trace)
      : choice_(choice), tally_(tally), captures_(trace.captures()), host_(trace, choice, tally) {
    tally.columns.resize(choice.columns.size());
    for (std::size_t i = 0; i < choice.columns.size(); ++i) {
      Filter filter{.index = i, .fields = {}};
      for (const std::string_view word : choice.columns[i].option->columns) {
        const auto found = std::ranges::find(
            fields, word, [](const Field<Row>& field) { return field.column.word; });
        if (found != fields.end()) filter.fields.push_back(&*found);
      }
      if (filter.fields.empty()) continue;
      tally.columns[i].applies = true;
      filters_.push_back(std::move(filter));
    }
  }

  /// Each filter is asked about every row, so that one that never matches is known.
  bool takes(Row& row) {
    bool wanted = true;
    for (const Filter& filter : filters_) wanted &= passes(filter, row);
    if (choice_.captures) wanted &= takes_capture(choice_, captures_, row.capture());
    if constexpr (kHasHostSteps<Row>) {
      wanted &= host_.takes(row.stack(), row.host_time_ns());
    } else if constexpr (HasStack<Row>) {
      wanted &= host_.takes_ranges(row.stack());
    }
    return wanted;
  }

 private:
  struct Filter {
    std::size_t index = 0;  // in the choice
    std::vector<const Field<Row>*> fields;
  };

  bool passes(const Filter& filter, Row& row) {
    bool is_match = false;
    std::string_view first;
    for (const Field<Row>* field : filter.fields) {
      const std::string_view value = text_of(field->value(row), field->column);
      if (field == filter.fields.front()) first = kept_.assign(value);
      is_match = choice_.columns[filter.index].matches(value);
      if (is_match) break;
    }
    tally_.columns[filter.index].count(is_match, first);
    return is_match;
  }

  /// Empty: absent. Valid until the next call.
  std::string_view text_of(const Cell& cell, const Column& column) {
    if (const auto* value = std::get_if<std::string_view>(&cell)) return *value;
    if (std::holds_alternative<std::monostate>(cell)) return {};
    value_.clear();
    append_value(cell, column, NumberStyle::kExact, value_);
    return {value_.data(), value_.size()};
  }

  const Choice& choice_;
  ChoiceTally& tally_;
  const Captures& captures_;
  HostChooser host_;
  std::vector<Filter> filters_;
  std::string kept_;
  fmt::memory_buffer value_;
};

}  // namespace prof::reports
