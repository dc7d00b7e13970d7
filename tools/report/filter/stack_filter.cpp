// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/stack_filter.hpp"

#include <algorithm>
#include <string>

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

StackChooser::StackChooser(TraceReader& trace, const Choice& choice, ChoiceTally& tally)
    : trace_(trace), choice_(choice), tally_(tally), host_(trace, choice, tally), threads_(trace) {
  tally.columns.resize(choice.columns.size());
  for (std::size_t i = 0; i < choice.columns.size(); ++i) {
    const std::string_view column = choice.columns[i].option->columns.front();
    if (std::ranges::find(kWords, column) == kWords.end()) continue;
    tally.columns[i].applies = true;
    filters_.push_back(i);
    needs_attribution_ |= column != "thread";
  }
  begin_pass();
}

void StackChooser::begin_pass() {
  if (needs_attribution_) stacks_.emplace(trace_, StackWalker::kUsualEntries, choice_.texts);
}

bool StackChooser::takes(const StackPoint& point) {
  bool wanted = host_.takes(point.innermost, point.time_ns);
  wanted &= takes_capture(choice_, trace_.captures(), point.capture);
  if (filters_.empty()) return wanted;
  const OpAttribution* attribution = nullptr;
  if (needs_attribution_) {
    stacks_->trim();
    if (point.time_ns) stacks_->advance(*point.time_ns);
    const StackMeaning meaning = stacks_->meaning(point.innermost);
    attribution =
        stacks_->attribution(stacks_->attributed(meaning, point.time_ns), DType::kUnknown).get();
  }
  for (const std::size_t filter : filters_) wanted &= passes(filter, point, attribution);
  return wanted;
}

bool StackChooser::passes(std::size_t filter, const StackPoint& point,
                          const OpAttribution* attribution) {
  const ColumnFilter& asked = choice_.columns[filter];
  const std::string_view column = asked.option->columns.front();
  ChoiceTally::OfFilter& tally = tally_.columns[filter];
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
