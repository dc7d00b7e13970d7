// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkTimeline: the timeline of a trace's GPUs, slice by slice, and what each step did. Takes the
// attributed work once and sorts it by its times, in temporary files beyond 64 MB a GPU, without
// causes beyond 16, and reads it twice in that order. Steps, and for causes the CUDA calls that
// keep a thread from launching, are kept in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/attributed_work.hpp"
#include "analyzers/base/record_sort.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "analyzers/timeline/device_timeline.hpp"
#include "analyzers/timeline/idle_causes.hpp"
#include "analyzers/timeline/launch_path.hpp"
#include "analyzers/timeline/placed_work.hpp"
#include "analyzers/timeline/step_periods.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// Kernels of matrix products, convolutions and attention.
struct ProductSums {
  double peak_ns = 0;  ///< How long they take at the peaks of their dtypes.
  std::uint64_t count = 0;
  std::uint64_t unknown = 0;  ///< Those kernels of `count` for which that time is not known.

  void add(const std::optional<double>& ns);
  void add(const ProductSums& other);
  /// Percent of that time. Absent: nothing is known.
  [[nodiscard]] std::optional<double> pct_of(std::int64_t period_ns) const;
};

/// Sums over the work of a step, wherever it ran.
struct StepWork {
  std::uint64_t kernels = 0, copies = 0;  ///< Copies and sets.
  std::uint64_t launches = 0;             ///< Calls that launched some of it.
  double threads = 0;                     ///< Threads of all kernels.
  /// Kernels that are known by those of another step: the step itself is not marked.
  std::uint64_t repeats = 0;
  bool is_found = false;       ///< No range marks the step: it is estimated from the launches.
  ProductSums products;        ///< All that ran: HFU.
  ProductSums model_products;  ///< Without what the backward pass computes again: MFU.
  /// The part of the step's period, after its work, in which work of no step runs. Known after
  /// finish().
  std::int64_t outside_ns = 0;
};

struct DevicePart {  ///< A GPU in a captured part of the run.
  std::uint32_t device = 0;
  std::optional<std::uint32_t> capture;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  friend auto operator<=>(DevicePart, DevicePart) = default;
};

/// A stretch of time of a GPU.
struct TimelineSlice {
  DevicePart part;
  TimeSlice time;
  IdleCause cause = IdleCause::kUnknown;  ///< Cause of idle time, if it is wanted.
  /// Op and layer of the work that ends idle time, with its cause. Empty: it has none.
  std::string_view op, layer;
  ThreadId thread;
};

class WorkTimeline {
 public:
  /// Whether the innermost range around a launch is in ranges that are chosen.
  using TakesRange = std::function<bool(RangeId innermost, std::optional<std::int64_t> time_ns)>;

  /// To be given the trace's work; the trace must outlive it. Without causes, idle time has none,
  /// which takes a third of the memory. If ranges are chosen, steps are what was launched in them,
  /// from the first such work of each to its last end. Each of the `timelines` that exist at a time
  /// has its part of the memory.
  WorkTimeline(TraceReader& trace, std::shared_ptr<IdleCauses> causes, TakesRange takes_range = {},
               std::size_t timelines = 1);
  ~WorkTimeline();

  /// Work in the order of its launches; none after the first next().
  void add(const AttributedRow& row);
  /// All of it.
  void read(AttributedWork& work);

  /// After the last work: periods and sums are known.
  void finish();

  /// By GPU, then in order of time. Null at the end or after an error; valid until the next call.
  const TimelineSlice* next();
  /// next() begins anew, with the first slice.
  void rewind();
  [[nodiscard]] Status status() const { return status_; }

  struct OfPart {
    StepPeriods periods;
    std::int64_t end_ns = INT64_MAX;  ///< End of the part. A range may reach beyond it.
    std::map<std::int64_t, StepWork> steps;
    StepWork outside;  ///< Work in no step.
  };
  [[nodiscard]] const std::map<DevicePart, OfPart>& parts() const { return parts_; }
  /// Work whose times are unknown, which is in no slice.
  [[nodiscard]] std::uint64_t untimed() const { return untimed_; }

 private:
  using Sort = RecordSort<NeverBefore>;
  struct OpTexts {
    std::shared_ptr<const OpAttribution> of;  ///< Kept alive: no other one gets its address.
    std::uint32_t op = 0, layer = 0;          ///< Indices into texts_.
  };

  void add_launch(const AttributedRow& row, PlacedWork& work);
  void add_to_step(const AttributedRow& row, const PlacedWork& work);
  IdleCause cause_of(StringId function);
  std::uint32_t index_of(const std::string& text);
  const OpTexts& texts_of(const std::shared_ptr<const OpAttribution>& op);
  void begin_part(const DevicePart& part);
  void end_part();
  [[nodiscard]] PlacedWork end_of_last_step();
  void take_next(std::uint32_t device, const SortedRecord& record);
  /// The slice ends where `next` begins: work, or the end of the last step.
  void take(const TimeSlice& slice, const PlacedWork& next, bool is_work);
  void measure_outside(const TimeSlice& slice);
  double threads_of(const GpuRow& row);
  std::int64_t end_of(const DevicePart& part);

  TraceReader& trace_;
  TakesRange takes_range_;  // empty: all
  const std::size_t sort_bytes_;
  std::shared_ptr<IdleCauses> causes_;
  std::optional<LaunchPath> path_;                       // if causes are wanted
  std::string bytes_;                                    // of a piece of work
  std::map<std::uint32_t, std::unique_ptr<Sort>> work_;  // by device, in order of begin
  std::map<DevicePart, OfPart> parts_;
  std::unordered_map<std::uint32_t, devices::DevicePeaks> peaks_;
  std::unordered_map<std::uint32_t, IdleCause> calls_;  // by function
  std::unordered_map<std::uint32_t, double> threads_;   // by launch configuration
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> text_indices_;
  std::unordered_map<const OpAttribution*, OpTexts> op_texts_;
  const OpTexts* last_texts_ = nullptr;  // one of them
  Correlation last_launch_ = 0;
  std::uint64_t untimed_ = 0;

  // Where next() is.
  std::optional<std::map<std::uint32_t, std::unique_ptr<Sort>>::iterator> device_;
  std::optional<DevicePart> part_;
  std::optional<DeviceTimeline> timeline_;
  std::vector<StepExtent> extents_;  // of the part
  std::size_t extent_ = 0;           // of the last slice
  std::uint32_t last_stream_ = 0;
  ThreadId last_thread_;
  bool is_measuring_ = false;
  std::vector<TimelineSlice> ready_;
  std::size_t at_ = 0;
  Status status_;
};

}  // namespace prof
