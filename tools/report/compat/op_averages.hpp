// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpAverages: times on the CPU and the GPU by name of op, CUDA call and kernel, over whole traces.
// Keeps one entry per name, and some 100 bytes for each op that only calls an op of its name.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzers/base/recent_map.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "tools/report/filter/stack_filter.hpp"
#include "tools/report/rows/kernel_names.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

struct OpAverage {
  std::string name;
  std::string inputs;                 ///< Inputs as the range states them; empty unless asked for.
  std::optional<std::uint32_t> rank;  ///< Absent: not known, or not asked for.
  std::uint64_t calls = 0;
  std::uint64_t unclosed = 0;  ///< Calls whose ranges never ended, so that their time is unknown.
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;
  std::int64_t self_cuda_ns = 0, cuda_ns = 0;
  bool is_async = false;  ///< A range of the process: on no thread's stack, its own time is 0.
};

class OpAverages {
 public:
  /// Properties, besides the name, that separate entries.
  struct Keys {
    bool inputs = false, rank = false;
  };
  explicit OpAverages(Keys keys) : keys_(keys) {}

  /// Adds the rows that the filter leaves of a trace.
  Status add(const TraceMember& member, const RowInput& input);

  /// Most GPU time first, then most CPU time.
  [[nodiscard]] std::vector<const OpAverage*> sorted() const;
  [[nodiscard]] std::int64_t self_cpu_ns() const { return self_cpu_ns_; }
  [[nodiscard]] std::int64_t cuda_ns() const { return cuda_ns_; }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNoEntry = UINT32_MAX;

  /// Facts kept about a range, which may be an alias.
  struct RangeFacts {
    RangeId opening = 0;  ///< 0: not in the trace.
    RangeId parent = 0;
    Index entry = kNoEntry;  ///< None if it is not chosen.
    bool has_time = false;   ///< It was closed.
    std::int64_t start_ns = 0;
  };

  Index index_of(std::string_view name, std::string_view inputs);
  OpAverage& entry(std::string_view name);
  Index index_of_range(TraceReader& trace, const RangeRow& opening);
  RangeFacts facts_of(TraceReader& trace, RangeId id, StackFilter& stack_filter);
  /// The facts of the opening for which the range stands, if it is an alias.
  RangeFacts facts_of_opening(TraceReader& trace, RangeId id, StackFilter& stack_filter);
  RangeFacts new_facts(TraceReader& trace, const RangeRef& range, StackFilter& stack_filter);
  /// The entry of a range that is chosen, or null.
  OpAverage* entry_of(const RangeFacts& facts);
  void take_time(const RangeFacts& from, std::int64_t time_ns);
  void add_ranges(TraceReader& trace, StackFilter& stack_filter);
  Status add_host_ops(TraceReader& trace, StackFilter& stack_filter);
  Status add_calls(TraceReader& trace, StackFilter& stack_filter);
  void join_repeats(TraceReader& trace, StackFilter& stack_filter);
  Status add_work(TraceReader& trace, StackFilter& stack_filter);
  /// GPU time launched inside a range that is still open, and not yet added to the one around it.
  struct Inside {
    RangeId row = 0;
    std::int64_t time_ns = 0;
  };
  void leave_ranges(TraceReader& trace, std::vector<Inside>& open, std::size_t kept,
                    StackFilter& stack_filter);
  void count_row() const {
    if (progress_ != nullptr) progress_->row(place_);
  }
  std::string work_name(TraceReader& trace, const GpuRow& row);

  Keys keys_;
  std::optional<std::uint32_t> rank_;  // of the current trace
  std::deque<OpAverage> entries_;
  std::unordered_map<std::string, Index> by_name_;
  RecentMap<RangeFacts> facts_{1U << 16};                 // by range; of the current trace
  std::unordered_map<std::uint32_t, Index> by_template_;  // likewise
  KernelNames kernel_names_;                              // likewise
  // An op that does nothing but call an op of its name, such as another overload, is one call.
  struct Repeat {
    RangeId range = 0;  // the inner one
    std::int64_t time_ns = 0;
  };
  std::unordered_map<RangeId, Repeat> repeats_;  // by the outer one; of the current trace
  std::unordered_set<RangeId> joined_;           // the inner ones, likewise
  std::unordered_map<std::uint32_t, RangeId> last_on_thread_;  // opened, likewise
  std::int64_t self_cpu_ns_ = 0, cuda_ns_ = 0;
  ReadProgress* progress_ = nullptr;  // of the current trace
  std::size_t place_ = 0;
};

}  // namespace prof::reports
