// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives as a row kind, by GPU and in order of time: each kernel that moves data between GPUs,
// and how long the GPU computed nothing while it ran. Reads the attributed kernels once and sorts
// them by their times, in temporary files beyond 64 MB a GPU. Filters choose collectives: what
// hides them always counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tools/common/record_sort.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/trace_wise.hpp"

namespace prof::reports {

/// One kernel of a collective. Plain data; texts are those of CollectiveTimesOfTrace.
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

/// A collective and the source of its cells.
class CollectiveRow {
 public:
  explicit CollectiveRow(const TraceMember& trace) : trace_(trace) {}
  void set(const Collective& collective) { collective_ = &collective; }

  [[nodiscard]] const TraceIdentity& trace() const { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const { return collective_->capture; }
  [[nodiscard]] const Collective& of() const { return *collective_; }
  [[nodiscard]] std::optional<std::int64_t> time_ns() const {
    return of().duration_ns > 0 ? std::optional(of().duration_ns) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> exposed_ns() const {
    return of().duration_ns > 0 ? std::optional(of().duration_ns - of().computing_ns)
                                : std::nullopt;
  }
  [[nodiscard]] Cell start_ns() const {
    return of().duration_ns > 0 ? signed_number(on_axis(trace_, of().start_ns)) : absent();
  }
  [[nodiscard]] Cell rate(const std::optional<double>& bytes) const {
    if (!bytes || of().duration_ns <= 0) return absent();
    return real(*bytes / static_cast<double>(of().duration_ns));
  }

 private:
  const TraceMember& trace_;
  const Collective* collective_ = nullptr;
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

class CollectiveTimesOfTrace {
 public:
  CollectiveTimesOfTrace(const TraceMember& trace, const RowInput& input);
  /// By GPU, in order of their ends.
  CollectiveRow* next();
  [[nodiscard]] Status status() const { return status_; }

 private:
  using Sort = tools::RecordSort<tools::NeverBefore>;
  struct OfDevice {
    std::unique_ptr<Sort> kernels;
    bool has_collectives = false;
  };
  struct Running {
    Collective collective;
    std::int64_t computed_ns = 0;  ///< Before it began.
  };

  void read(const RowInput& input);
  void place(const AttributedRow& row);
  Collective collective_of(const AttributedRow& row);
  std::string_view keep(std::string_view text);
  /// The next collective that has ended; null at the end of the device.
  const Collective* next_of_device(Sort& kernels);
  /// The first collective that ends by then.
  const Collective* ended_by(std::int64_t time_ns);
  void begin(std::string_view record);

  const TraceMember& trace_;
  std::map<std::uint32_t, OfDevice> devices_;
  std::unordered_set<std::string> texts_;
  std::optional<StepChoice> steps_;

  // Where next() is.
  std::map<std::uint32_t, OfDevice>::iterator device_;
  CoveredTime computing_;
  std::multimap<std::int64_t, Running> running_;  // by end
  std::optional<tools::SortedRecord> kernel_;     // that has yet to begin
  Collective current_;
  CollectiveRow row_;
  Status status_;
};

// clang-format off
inline constexpr auto kCollectiveFields = with_trace<CollectiveRow>({
    {Column::text("op", "Op", "collective: all_reduce, all_gather, ...; of a kernel outside of known collectives the op around it").cut_end(10), [](CollectiveRow& r) { return text(r.of().op); }, Role::kKey},
    {Column::text("op_inner", "Inner op", "the library's call, if a range tells").cut_end(8), [](CollectiveRow& r) { return text(r.of().op_inner); }, Role::kKey},
    {Column::text("dir", "Direction", "fprop, bprop or update (the optimizer)"), [](CollectiveRow& r) { return text(name(r.of().direction)); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the launch, separated by ':'").cut_front(14), [](CollectiveRow& r) { return text(r.of().layer); }, Role::kKey},
    {Column::text("params", "Params", "shapes, or size, ranks and calls in a group").cut_end(12), [](CollectiveRow& r) { return text(r.of().params); }, Role::kKey},
    {Column::text("dtype", "Type", "data type of the elements").cut_end(7), [](CollectiveRow& r) { return text(name(r.of().dtype)); }, Role::kKey},
    {Column::real("message_bytes", "Message", "B", "message size, as nccl-tests counts it", 0).grouped(), [](CollectiveRow& r) { return real(r.of().message_bytes); }},
    {Column::text("kernel", "Kernel", "short name of the kernel").cut_end(14), [](CollectiveRow& r) { return text(r.of().kernel); }, Role::kKey},
    {Column::text("family", "Family", "library of the kernel, from its name"), [](CollectiveRow& r) { return text(r.of().family); }, Role::kKey},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](CollectiveRow& r) { return number(r.of().device); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream"), [](CollectiveRow& r) { return number(r.of().stream); }, Role::kKey},
    {Column::integer("thread", "Thread", "", "launching thread, as numbered in the trace"), [](CollectiveRow& r) { return r.of().thread ? number(*r.of().thread) : absent(); }, Role::kKey},
    {Column::integer("step", "Step", "", "number of the training step around the launch"), [](CollectiveRow& r) { return r.of().step ? signed_number(*r.of().step) : absent(); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time on the GPU, also that in which it waits for other ranks", 0).grouped().wide(9), [](CollectiveRow& r) { return microseconds(r.time_ns()); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "time on the GPU, also that in which it waits for other ranks").grouped().wide(9), [](CollectiveRow& r) { return nanoseconds(r.time_ns()); }},
    {Column::integer("exposed_ns", "Exposed", "ns", "part of it in which the GPU computed nothing; of collectives that overlap, each has it").grouped(), [](CollectiveRow& r) { return nanoseconds(r.exposed_ns()); }},
    {Column::integer("start_ns", "Start", "ns", "start on the GPU, since the start of the trace").grouped(), [](CollectiveRow& r) { return r.start_ns(); }},
    {Column::real("alg_gb_per_s", "AlgBW", "GB/s", "message size over time (nccl-tests' algbw)", 1).grouped(), [](CollectiveRow& r) { return r.rate(r.of().message_bytes); }},
    {Column::real("bus_gb_per_s", "BusBW", "GB/s", "algorithm bandwidth times the share each link carries (nccl-tests' busbw)", 1).grouped(), [](CollectiveRow& r) { return r.rate(r.of().bus_bytes); }},
    {Column::integer("correlation", "Correlation", "", "links the kernel to its launching call in trace.db"), [](CollectiveRow& r) { return r.of().correlation != 0 ? number(r.of().correlation) : absent(); }},
});
// clang-format on

/// Kernels that move data between GPUs.
struct Collectives {
  using Row = CollectiveRow;
  static constexpr RowNames kNames = {"collective", "collectives", "collectives"};
  static constexpr bool kHasSteps = true;
  static constexpr std::span<const Field<Row>> kFields = kCollectiveFields;
  using Cursor = TraceWiseCursor<CollectiveTimesOfTrace, kCollectiveFields>;
};

}  // namespace prof::reports
