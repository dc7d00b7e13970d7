// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Timeline: events of any order, read back by time: of equal starts slices first, the longest of
// them first, then what points at a slice. Sorted in bounded memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzers/base/record_sort.hpp"
#include "libprof/base/result.hpp"

namespace prof::exports {

struct TimelineEvent {
  enum class Kind : std::uint8_t {
    kSlice,
    kFlowStart,
    kWhole,  ///< Its body says all, the track included: a counter's value, for example.
    // A link leads from the rank that comes last to a collective to those that wait for it.
    kLinkStart,
    kLinkStep
  };
  Kind kind = Kind::kSlice;
  std::uint32_t track = 0;  ///< For a counter, its process.
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint64_t flow = 0;  ///< 0: none.
};

class Timeline {
 public:
  static constexpr std::size_t kMemoryBytes = std::size_t{64} << 20;

  Status add(const TimelineEvent& event, std::string_view body);
  /// The next event, and its body; false at the end or after an error.
  bool next(TimelineEvent& event, std::string_view& body);
  [[nodiscard]] const Status& status() const { return sort_.status(); }
  /// No event: first > last.
  [[nodiscard]] std::int64_t first_ns() const { return first_ns_; }
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }

 private:
  struct Before {
    bool operator()(std::string_view a, std::string_view b) const;
  };

  RecordSort<Before> sort_{kMemoryBytes};
  std::string bytes_;
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
};

}  // namespace prof::exports
