// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/around_steps.hpp"

namespace prof {
namespace {

/// Counters in texts make ever new ones; what exceeds this names layers.
constexpr std::size_t kMaxTexts = 64;

}  // namespace

bool AroundSteps::holds(const RangeRow& range) {
  if (!range.end_ns) return false;
  const std::size_t steps = steps_.count_inside(range.start_ns, *range.end_ns);
  return steps > 1 || (steps == 1 && is_around_few(range));
}

bool AroundSteps::is_around_few(const RangeRow& range) {
  const std::string text = range.whole_text();
  if (const auto known = few_by_text_.find(text); known != few_by_text_.end()) {
    return known->second;
  }
  if (few_by_text_.size() == kMaxTexts) return false;
  std::size_t steps = 0;
  reader_.thread_ranges(
      [&](DomainId domain, std::string_view other) {
        return domain == range.domain && other == text;
      },
      [&](const TextRangeRow& other) {
        if (other.end_ns) steps += steps_.count_inside(other.start_ns, *other.end_ns);
      });
  return few_by_text_[text] = 2 * steps < steps_.size();
}

}  // namespace prof
