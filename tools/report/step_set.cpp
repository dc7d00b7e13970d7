// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges of steps, see step_set.hpp.
#include "tools/report/step_set.hpp"

#include <iterator>
#include <limits>

namespace prof::reports {

void StepSet::add(std::int64_t step) {
  if (step >= latest_first_ && step <= latest_last_) return;
  auto after = ranges_.upper_bound(step);
  auto range = ranges_.end();
  if (after != ranges_.begin()) {
    const auto before = std::prev(after);
    // before->second + 1 cannot overflow: if it is the largest number, step is inside.
    if (step <= before->second || step == before->second + 1) range = before;
  }
  if (range == ranges_.end()) {
    if (ranges_.size() >= kMaxRanges) {
      overflow_ = true;
      return;
    }
    range = ranges_.emplace(step, step).first;
  } else if (step > range->second) {
    range->second = step;
  }
  after = std::next(range);
  if (after != ranges_.end() && range->second != std::numeric_limits<std::int64_t>::max() &&
      after->first == range->second + 1) {
    range->second = after->second;
    ranges_.erase(after);
  }
  latest_first_ = range->first;
  latest_last_ = range->second;
}

bool StepSet::lacks(std::int64_t step) const {
  const auto after = ranges_.upper_bound(step);
  return !overflow_ && (after == ranges_.begin() || step > std::prev(after)->second);
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

}  // namespace prof::reports
