// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/range_matcher.hpp"

#include <algorithm>
#include <iterator>

#include "tools/report/filter/opening.hpp"
#include "tools/report/filter/qualified_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxKnown = 1U << 16;

}  // namespace

bool RangeMatcher::takes(RangeId innermost, std::optional<std::int64_t> time_ns,
                         FilterTally::OfFilter& tally) {
  if (!has_process_ranges_) read_process_ranges(tally);
  return takes_stack(innermost, tally) || (time_ns && is_in_process_range(*time_ns));
}

bool RangeMatcher::takes_stack(RangeId innermost, FilterTally::OfFilter& tally) {
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
    is_match = opened && has_text(opened->domain, opened->whole_text(), tally);
    at = row->parent;
  }
  for (const RangeId id : path_) known_.emplace(id, is_match);
  return is_match;
}

void RangeMatcher::read_process_ranges(FilterTally::OfFilter& tally) {
  has_process_ranges_ = true;
  trace_.process_ranges([&](const TextRangeRow& range) {  // by their starts
    if (!has_text(range.domain, range.text, tally)) return;
    const std::int64_t end_ns = range.end_ns.value_or(INT64_MAX);
    if (!open_.empty() && range.start_ns <= open_.back().end_ns) {
      open_.back().end_ns = std::max(open_.back().end_ns, end_ns);
    } else {
      open_.push_back({range.start_ns, end_ns});
    }
  });
}

bool RangeMatcher::is_in_process_range(std::int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(open_, time_ns, {}, &Stretch::start_ns);
  return after != open_.begin() && time_ns < std::prev(after)->end_ns;
}

bool RangeMatcher::has_text(DomainId domain, std::string_view text,
                            FilterTally::OfFilter& tally) const {
  bool is_match = matches_any(text, filter_.ranges);
  if (!is_match && domain != kDefaultDomain) {
    is_match = matches_any(qualified_text(trace_, domain, text), filter_.ranges);
  }
  tally.count(is_match, text);
  return is_match;
}

}  // namespace prof::reports
