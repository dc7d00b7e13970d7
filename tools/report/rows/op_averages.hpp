// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpAverages: times on the CPU and the GPU by name of op, CUDA call and kernel, over whole traces.
// Keeps one entry per name, and some 100 bytes for each op that only calls an op of its name.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzers/recent_map.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/trace_reader.hpp"
#include "tools/report/choose/host_chooser.hpp"
#include "tools/report/rows/kernel_names.hpp"
#include "tools/report/rows/read_progress.hpp"

namespace prof::reports {

struct OpAverage {
  std::string name;
  std::string inputs;  ///< As the range states them; empty unless asked for.
  std::uint64_t calls = 0;
  std::uint64_t unclosed = 0;  ///< Of these, ranges that never ended, whose time is unknown.
  std::int64_t self_cpu_ns = 0, cpu_ns = 0;
  std::int64_t self_cuda_ns = 0, cuda_ns = 0;
  bool is_async = false;  ///< A range of the process: on no thread's stack, its own time is 0.
};

/// The op's name in a range's text, and the shapes of its inputs.
struct RangeName {
  std::string name, inputs;
};
RangeName name_of_range(std::string_view text);

class OpAverages {
 public:
  explicit OpAverages(bool by_inputs) : by_inputs_(by_inputs) {}

  /// What the choice's ranges and steps leave of a trace. `progress` is told of each row; null:
  /// nobody is.
  Status add(TraceReader& trace, const Choice& choice, ChoiceTally& tally,
             ReadProgress* progress = nullptr);

  /// Most GPU time first, then most CPU time.
  [[nodiscard]] std::vector<const OpAverage*> sorted() const;
  [[nodiscard]] std::int64_t self_cpu_ns() const { return self_cpu_ns_; }
  [[nodiscard]] std::int64_t cuda_ns() const { return cuda_ns_; }

 private:
  using Index = std::uint32_t;

  Index index_of(std::string_view name, std::string_view inputs);
  OpAverage& entry(std::string_view name);
  OpAverage& entry_of(TraceReader& trace, const RangeRow& range);
  /// Nothing if it is null.
  void take_time(OpAverage* from, std::int64_t time_ns);
  static RangeRef opening(TraceReader& trace, RangeId id);
  OpAverage* timed_entry(TraceReader& trace, const RangeRef& range, HostChooser& chooser);
  /// The entry of a range that is chosen, or null.
  OpAverage* chosen_entry(TraceReader& trace, RangeId id, HostChooser& chooser);
  void add_ranges(TraceReader& trace, HostChooser& chooser);
  Status add_calls(TraceReader& trace, HostChooser& chooser);
  void join_repeats(TraceReader& trace, HostChooser& chooser);
  Status add_work(TraceReader& trace, HostChooser& chooser);
  void count_row() const {
    if (progress_ != nullptr) progress_->row(place_);
  }
  std::string work_name(TraceReader& trace, const GpuRow& row);

  bool by_inputs_;
  std::deque<OpAverage> entries_;
  std::unordered_map<std::string, Index> by_name_;
  RecentMap<Index> by_range_{1U << 16};                   // of the current trace
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
