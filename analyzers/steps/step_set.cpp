// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges of steps, see step_set.hpp.
#include "analyzers/steps/step_set.hpp"

#include <algorithm>
#include <iterator>

namespace prof {

void StepSet::add(std::int64_t first, std::int64_t last) {
  if (first >= latest_first_ && last <= latest_last_) return;
  // The ranges that overlap or touch it become one with it. No sum overflows: it is only computed
  // where a greater number exists.
  auto begin = ranges_.upper_bound(first);
  if (begin != ranges_.begin()) {
    const auto before = std::prev(begin);
    if (before->second >= first || before->second + 1 == first) begin = before;
  }
  auto end = begin;
  while (end != ranges_.end() && (end->first <= last || end->first == last + 1)) {
    first = std::min(first, end->first);
    last = std::max(last, end->second);
    ++end;
  }
  if (begin == end && ranges_.size() >= kMaxRanges) {
    overflow_ = true;
    return;
  }
  ranges_.erase(begin, end);
  ranges_.emplace(first, last);
  latest_first_ = first;
  latest_last_ = last;
}

void StepSet::merge(const StepSet& other) {
  for (const auto& [first, last] : other.ranges_) add(first, last);
  overflow_ = overflow_ || other.overflow_;
}

bool StepSet::lacks(std::int64_t step) const {
  const auto after = ranges_.upper_bound(step);
  return !overflow_ && (after == ranges_.begin() || step > std::prev(after)->second);
}

bool StepSet::holds_any(std::int64_t first, std::int64_t last) const {
  const auto after = ranges_.upper_bound(last);
  return overflow_ || (after != ranges_.begin() && std::prev(after)->second >= first);
}

std::string StepSet::to_words() const {
  const bool one = ranges_.size() == 1 && ranges_.begin()->first == ranges_.begin()->second;
  return (one ? "step " : "steps ") + to_text();
}

std::string StepSet::to_text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last != first) text.append("-").append(std::to_string(last));
  }
  if (overflow_) text += ",...";
  return text;
}

}  // namespace prof
