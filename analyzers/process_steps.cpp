// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/process_steps.hpp"

#include <algorithm>

namespace prof {

ProcessSteps::ProcessSteps(TraceReader& reader, const dialects::Registry& dialects) {
  std::int64_t latest_end_ns = INT64_MIN;
  std::int64_t unmarked_until_ns = INT64_MIN;
  reader.process_ranges([&](const ProcessRangeRow& range) {
    if (range.domain != kDefaultDomain) return;
    const dialects::RangeMeaning meaning = dialects.parse({range.text, {}, true});
    const std::int64_t end_ns = range.end_ns.value_or(INT64_MAX);
    if (meaning.as<Unmarked>() != nullptr) {
      unmarked_until_ns = std::max(unmarked_until_ns, end_ns);
    }
    const auto* step = meaning.as<StepNumber>();
    if (step == nullptr) return;
    latest_end_ns = std::max(latest_end_ns, end_ns);
    const bool is_marked = range.start_ns >= unmarked_until_ns;
    all_marked_ = all_marked_ && is_marked;
    steps_.push_back({range.start_ns, end_ns, latest_end_ns, step->number, is_marked});
  });
}

std::optional<std::int64_t> ProcessSteps::at(std::int64_t time_ns) const {
  const auto index = index_at(time_ns);
  return index ? std::optional(steps_[*index].number) : std::nullopt;
}

std::optional<std::uint32_t> ProcessSteps::index_at(std::int64_t time_ns) const {
  auto after = std::ranges::upper_bound(steps_, time_ns, {}, &Step::start_ns);
  while (after != steps_.begin()) {
    const Step& step = *--after;
    if (time_ns < step.end_ns) return static_cast<std::uint32_t>(after - steps_.begin());
    if (time_ns >= step.latest_end_ns) break;
  }
  return std::nullopt;
}

}  // namespace prof
