// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/capture_filter.hpp"

#include <algorithm>
#include <string>

namespace prof::reports {
namespace {

bool has_any(const TraceSet& traces, const StepSpan& span) {
  return std::ranges::any_of(traces.members(), [&span](const TraceMember& trace) {
    const Captures& captures = trace.reader.captures();
    if (captures.empty()) return span.first <= 1 && span.last >= 1;
    return std::ranges::any_of(captures.rows(), [&span](const CaptureRow& one) {
      return one.number >= span.first && one.number <= span.last;
    });
  });
}

}  // namespace

bool takes_capture(const RowFilter& filter, const Captures& captures,
                   std::optional<std::uint32_t> number) {
  if (!filter.captures) return true;
  if (captures.empty()) number = 1;
  if (!number) return false;
  return filter.captures->holds(*number) ||
         (filter.captures->with_last && *number == captures.last_number());
}

Status check_captures(const RowFilter& filter, const TraceSet& traces) {
  if (!filter.captures) return {};
  std::uint32_t last = 1;
  for (const TraceMember& trace : traces.members()) {
    last = std::max(last, trace.reader.captures().last_number());
  }
  for (const StepSpan& span : filter.captures->spans) {
    if (has_any(traces, span)) continue;
    const std::string first = std::to_string(span.first);
    return Error{.what = span.first == span.last
                             ? "there is no capture " + first
                             : "there are no captures " + first + "-" + std::to_string(span.last),
                 .where = "--capture",
                 .hint = last == 1 ? "there is capture 1 alone"
                                   : "there are captures 1 to " + std::to_string(last)};
  }
  return {};
}

}  // namespace prof::reports
