// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See host_facts.hpp.
#include "tools/report/export/formats/host_facts.hpp"

#include <string_view>

namespace prof::exports {
HostFacts::HostFacts(TraceReader& trace, const reports::RowFilter& filter)
    : trace_(trace),
      filter_(filter),
      stacks_(trace, StackWalker::kUsualEntries, filter.range_options),
      texts_(trace, StackWalker::kUsualEntries, filter.range_options.domains) {}

HostFacts::Point HostFacts::at(RangeId innermost, std::optional<std::int64_t> time_ns) {
  stacks_.trim();
  if (time_ns) stacks_.advance(*time_ns);
  const StackMeaning meaning = stacks_.meaning(innermost);
  Point point{.op = stacks_.attribution(stacks_.attributed(meaning, time_ns), DType::kUnknown),
              .step = {}};
  if (meaning.step) point.step = meaning.step->number;
  return point;
}

bool HostFacts::takes(const OpAttribution& op) const {
  for (const reports::ColumnFilter& by : filter_.columns) {
    const std::string_view column = by.option->columns.front();
    std::string_view value;
    if (column == "layer")
      value = op.layer;
    else if (column == "op")
      value = op.op;
    else if (column == "dir")
      value = name(op.direction);
    else
      continue;
    if (!by.matches(value)) return false;
  }
  return true;
}

bool HostFacts::is_step(RangeId range) {
  if (texts_.is_large()) texts_.clear();
  const RangeRef row = trace_.range(range);
  return row && texts_.parse(*row).meaning.is<StepNumber>();
}

}  // namespace prof::exports
