// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/stack_filter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tools/report/filter/capture_filter.hpp"

namespace prof::reports {
namespace {

/// Layer, op or direction.
std::string_view fact(std::string_view column, const OpAttribution& attribution) {
  if (column == "layer") return attribution.layer;
  if (column == "op") return attribution.op;
  return name(attribution.direction);
}

}  // namespace

StackFilter::StackFilter(TraceReader& trace, const RowFilter& filter, FilterTally& tally,
                         FindLastStep find_last)
    : trace_(trace),
      filter_(filter),
      tally_(tally),
      host_(trace, filter, tally, std::move(find_last)),
      threads_(trace) {
  tally.columns.resize(filter.columns.size());
  for (std::size_t i = 0; i < filter.columns.size(); ++i) {
    const std::string_view column = filter.columns[i].option->columns.front();
    if (std::ranges::find(kWords, column) == kWords.end()) continue;
    tally.columns[i].applies = true;
    columns_.push_back(i);
    needs_attribution_ |= column != "thread";
  }
  begin_pass();
}

void StackFilter::begin_pass() {
  if (needs_attribution_)
    stacks_.emplace(trace_, StackWalker::kUsualEntries, filter_.range_options);
}

bool StackFilter::takes(const StackPoint& point) {
  bool wanted = host_.takes(point.innermost, point.time_ns);
  wanted &= takes_capture(filter_, trace_.captures(), point.capture);
  if (columns_.empty()) return wanted;
  const OpAttribution* attribution = nullptr;
  if (needs_attribution_) {
    stacks_->trim();
    if (point.time_ns) stacks_->advance(*point.time_ns);
    const StackMeaning meaning = stacks_->meaning(point.innermost);
    attribution =
        stacks_->attribution(stacks_->attributed(meaning, point.time_ns), DType::kUnknown).get();
  }
  for (const std::size_t index : columns_) wanted &= passes(index, point, attribution);
  return wanted;
}

bool StackFilter::passes(std::size_t index, const StackPoint& point,
                         const OpAttribution* attribution) {
  const ColumnFilter& asked = filter_.columns[index];
  const std::string_view column = asked.option->columns.front();
  FilterTally::OfFilter& tally = tally_.columns[index];
  if (column != "thread") {
    const std::string_view value = fact(column, *attribution);
    const bool is_match = asked.matches(value);
    tally.count(is_match, value);
    return is_match;
  }
  const std::string number = point.thread ? std::to_string(point.thread.value) : std::string();
  const ThreadRow* const thread = threads_.find(point.thread);
  const bool is_match =
      asked.matches(number) || (thread != nullptr && asked.matches(std::to_string(thread->os_tid)));
  tally.count(is_match, number);
  return is_match;
}

}  // namespace prof::reports
