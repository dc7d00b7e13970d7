// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/process_steps.hpp"

#include <algorithm>

namespace prof {

ProcessSteps::ProcessSteps(TraceReader& reader, const dialects::Registry& dialects) {
  std::int64_t latest_end_ns = INT64_MIN;
  reader.process_ranges([&](const ProcessRangeRow& range) {
    if (range.domain != kDefaultDomain) return;
    const dialects::RangeMeaning meaning = dialects.parse({range.text, {}, true});
    const auto* step = meaning.as<StepNumber>();
    if (step == nullptr) return;
    const std::int64_t end_ns = range.end_ns.value_or(INT64_MAX);
    latest_end_ns = std::max(latest_end_ns, end_ns);
    steps_.push_back({range.start_ns, end_ns, latest_end_ns, step->number});
  });
}

std::optional<std::int64_t> ProcessSteps::at(std::int64_t time_ns) const {
  auto after = std::ranges::upper_bound(steps_, time_ns, {}, &Step::start_ns);
  while (after != steps_.begin()) {
    const Step& step = *--after;
    if (time_ns < step.end_ns) return step.number;
    if (time_ns >= step.latest_end_ns) break;
  }
  return std::nullopt;
}

}  // namespace prof
