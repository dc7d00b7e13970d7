// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeMatcher: whether a range, or one around it on its stack, has a text that the user asks for.
#pragma once

#include <unordered_map>
#include <vector>

#include "libprof/store/trace_reader.hpp"
#include "tools/report/choose/choice.hpp"

namespace prof::reports {

class RangeMatcher {
 public:
  RangeMatcher(TraceReader& trace, const Choice& choice) : trace_(trace), choice_(choice) {}

  [[nodiscard]] bool takes(RangeId innermost, ChoiceTally::OfFilter& tally);

 private:
  [[nodiscard]] bool has_text(const RangeRow& range, ChoiceTally::OfFilter& tally) const;

  TraceReader& trace_;
  const Choice& choice_;
  std::unordered_map<RangeId, bool> known_;  // bounded: cleared when large
  std::vector<RangeId> path_;
};

}  // namespace prof::reports
