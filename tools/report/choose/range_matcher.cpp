// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/choose/range_matcher.hpp"

#include "tools/report/rows/opening.hpp"
#include "tools/report/rows/qualified_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxKnown = 1U << 16;

}  // namespace

bool RangeMatcher::takes(RangeId innermost, ChoiceTally::OfFilter& tally) {
  if (known_.size() >= kMaxKnown) known_.clear();
  path_.clear();
  bool is_match = false;
  for (RangeId at = innermost; at != 0 && !is_match;) {
    if (const auto found = known_.find(at); found != known_.end()) {
      is_match = found->second;
      break;
    }
    const RangeRef row = trace_.range(at);
    // A parent is older than its child: anything else is damage and could be circular.
    if (!row || row->parent >= at) break;
    path_.push_back(at);
    // An alias repeats a range that is still open, so its own text is on the stack.
    const RangeRef opened = opening_of(trace_, row);
    is_match = opened && has_text(*opened, tally);
    at = row->parent;
  }
  for (const RangeId id : path_) known_.emplace(id, is_match);
  return is_match;
}

bool RangeMatcher::has_text(const RangeRow& range, ChoiceTally::OfFilter& tally) const {
  const std::string text = range.whole_text();
  bool is_match = matches_any(text, choice_.ranges);
  if (!is_match && range.domain != kDefaultDomain) {
    is_match = matches_any(qualified_text(trace_, range.domain, text), choice_.ranges);
  }
  tally.count(is_match, text);
  return is_match;
}

}  // namespace prof::reports
