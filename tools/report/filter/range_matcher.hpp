// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeMatcher: whether a range, or one around it, has a text that the user asks for: one around it
// on its stack, or one of the process, which is around what all threads do while it is open.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libprof/store/read/trace_reader.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

class RangeMatcher {
 public:
  RangeMatcher(TraceReader& trace, const RowFilter& filter) : trace_(trace), filter_(filter) {}

  /// If there is no time, the stack alone decides.
  [[nodiscard]] bool takes(RangeId innermost, std::optional<std::int64_t> time_ns,
                           FilterTally::OfFilter& tally);

 private:
  struct Stretch {
    std::int64_t start_ns = 0, end_ns = 0;
  };

  [[nodiscard]] bool takes_stack(RangeId innermost, FilterTally::OfFilter& tally);
  [[nodiscard]] bool has_text(DomainId domain, std::string_view text,
                              FilterTally::OfFilter& tally) const;
  void read_process_ranges(FilterTally::OfFilter& tally);
  [[nodiscard]] bool is_in_process_range(std::int64_t time_ns) const;

  TraceReader& trace_;
  const RowFilter& filter_;
  std::unordered_map<RangeId, bool> known_;  // bounded: cleared when large
  std::vector<RangeId> path_;
  bool has_process_ranges_ = false;  // they are read
  std::vector<Stretch> open_;  // when any of the process that is asked for is; apart, by start
};

}  // namespace prof::reports
