// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/captures.hpp"

#include <algorithm>
#include <utility>

#include "libprof/model/times.hpp"

namespace prof {

Captures::Captures(std::vector<CaptureRow> rows) : rows_(std::move(rows)) {
  std::ranges::stable_sort(rows_, {}, &CaptureRow::start_ns);
  std::int64_t latest = INT64_MIN;
  for (const CaptureRow& row : rows_) {
    latest = std::max(latest, row.end_ns.value_or(INT64_MAX));
    latest_end_ns_.push_back(latest);
    by_number_.emplace(row.number, latest_end_ns_.size() - 1);
  }
}

std::uint32_t Captures::last_number() const { return rows_.empty() ? 1 : rows_.back().number; }

bool Captures::has(std::uint32_t number) const {
  return rows_.empty() ? number == 1 : by_number_.contains(number);
}

const CaptureRow* Captures::find(std::uint32_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : &rows_[found->second];
}

std::vector<CaptureRow>::const_iterator Captures::first_until(std::int64_t time_ns) const {
  return rows_.begin() +
         (std::ranges::lower_bound(latest_end_ns_, time_ns) - latest_end_ns_.begin());
}

std::optional<std::uint32_t> Captures::at(Time start_ns) const {
  if (rows_.empty() || !start_ns) return std::nullopt;
  const auto after = std::ranges::upper_bound(rows_, *start_ns, {}, &CaptureRow::start_ns);
  return (after == rows_.begin() ? after : after - 1)->number;
}

std::optional<std::uint32_t> Captures::of_range(Time start_ns, Time end_ns,
                                                std::uint64_t push_pop) const {
  if (rows_.empty() || !start_ns) return std::nullopt;
  if (push_pop != 0 && rows_.front().first_range != 0) {
    const auto next = std::ranges::upper_bound(rows_, push_pop, {}, &CaptureRow::first_range);
    if (next == rows_.begin()) return std::nullopt;
    const CaptureRow& own = *(next - 1);
    const bool is_in = own.end_range == 0 || push_pop < own.end_range;
    return is_in ? std::optional(own.number) : std::nullopt;
  }
  if (!end_ns) {
    const auto first = first_until(*start_ns);
    return first != rows_.end() ? std::optional(first->number) : std::nullopt;
  }
  const auto after = std::ranges::upper_bound(rows_, *end_ns, {}, &CaptureRow::start_ns);
  if (after == rows_.begin()) return std::nullopt;
  const CaptureRow& last = *(after - 1);
  const bool overlaps = !last.end_ns || *start_ns <= *last.end_ns;
  return overlaps ? std::optional(last.number) : std::nullopt;
}

bool Captures::lists_range(Time start_ns, Time end_ns, std::uint64_t push_pop) const {
  // A capture that is still open is in the trace whenever it began.
  if (rows_.empty()) return !end_ns || *end_ns >= 0;
  return !start_ns || of_range(start_ns, end_ns, push_pop).has_value();
}

std::int64_t Captures::captured_ns(std::int64_t start_ns, std::int64_t end_ns) const {
  if (rows_.empty()) return difference_of_times(end_ns, start_ns);
  std::int64_t sum = 0;
  for (auto at = first_until(start_ns); at != rows_.end() && at->start_ns < end_ns; ++at) {
    const CaptureRow& one = *at;
    const std::int64_t from = std::max(start_ns, one.start_ns);
    const std::int64_t to = std::min(end_ns, one.end_ns.value_or(end_ns));
    if (to > from) sum = sum_of_times(sum, difference_of_times(to, from));
  }
  return sum;
}

}  // namespace prof
