// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CollectiveTimes: each kernel of a trace that moves data between GPUs, and how long the GPU
// computed nothing while it ran. Takes the attributed kernels once and sorts them by their times,
// in temporary files beyond 64 MB a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "analyzers/attributed_work.hpp"
#include "analyzers/base/record_sort.hpp"
#include "libprof/base/result.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// One kernel of a collective. Plain data; texts are those of CollectiveTimes.
struct Collective {
  std::int64_t start_ns = 0, duration_ns = 0;  ///< A duration of 0: its times are unknown.
  std::int64_t computing_ns = 0;               ///< How long other kernels ran meanwhile.
  std::string_view op, op_inner, layer, params, kernel, family;
  Direction direction = Direction::kNone;
  DType dtype = DType::kUnknown;
  std::optional<double> message_bytes, bus_bytes;
  std::uint32_t device = 0, stream = 0;
  std::optional<std::uint32_t> capture;
  std::optional<std::int64_t> step;
  std::optional<std::uint32_t> thread;
  Correlation correlation = 0;
};

/// How much of the time axis is covered by intervals that are added in order of their beginnings.
class CoveredTime {
 public:
  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    const std::int64_t from_ns = std::max(begin_ns, end_ns_);
    if (end_ns <= from_ns) return;
    covered_ns_ = sum_of_times(covered_ns_, difference_of_times(end_ns, from_ns));
    end_ns_ = end_ns;
  }
  /// Up to a time that is not before the last beginning.
  [[nodiscard]] std::int64_t until(std::int64_t time_ns) const {
    if (end_ns_ <= time_ns) return covered_ns_;
    return difference_of_times(covered_ns_, difference_of_times(end_ns_, time_ns));
  }

 private:
  std::int64_t covered_ns_ = 0, end_ns_ = INT64_MIN;
};

class CollectiveTimes {
 public:
  /// The trace must outlive it.
  explicit CollectiveTimes(TraceReader& trace) : trace_(trace) {}

  /// All kernels, in any order; none after the first next().
  void add(const AttributedRow& row);
  [[nodiscard]] bool has_collectives() const;

  /// By GPU, in order of their ends. Null at the end or after an error; valid until the next call.
  const Collective* next();
  [[nodiscard]] Status status() const { return status_; }

 private:
  using Sort = RecordSort<NeverBefore>;
  struct OfDevice {
    std::unique_ptr<Sort> kernels;
    bool has_collectives = false;
  };
  struct Running {
    Collective collective;
    std::int64_t computed_ns = 0;  ///< Before it began.
  };

  Collective collective_of(const AttributedRow& row);
  std::string_view keep(std::string_view text);
  /// The next collective that has ended; null at the end of the device.
  const Collective* next_of_device(Sort& kernels);
  /// The first collective that ends by then.
  const Collective* ended_by(std::int64_t time_ns);
  void begin(std::string_view record);

  TraceReader& trace_;
  std::map<std::uint32_t, OfDevice> devices_;
  std::unordered_set<std::string> texts_;

  // Where next() is.
  std::optional<std::map<std::uint32_t, OfDevice>::iterator> device_;
  CoveredTime computing_;
  std::multimap<std::int64_t, Running> running_;  // by end
  std::optional<SortedRecord> kernel_;            // that has yet to begin
  Collective current_;
  Status status_;
};

}  // namespace prof
