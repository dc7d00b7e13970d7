// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepFacts: what the rules of advice know of a typical step of a GPU: its work in groups of the
// same kernel under the same op and layer, and how much time GPU and host need for it. All numbers
// are those of one step: means over the steady steps. Memory for each distinct group.
//
// A step ends when both GPU and host are done with theirs. A change that takes time from one of
// them gains only what the other does not need: docs/advice.md.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzers/devices/device_clocks.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "analyzers/devices/occupancy.hpp"
#include "tools/report/advice/facts/advice.hpp"
#include "tools/report/rows/chosen_timeline.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/rank_waits.hpp"

namespace prof::reports {

/// Work of the same kernel, op, sizes and layer.
struct WorkGroup {
  std::string layer, op, op_inner, params, kernel;
  Direction direction = Direction::kNone;
  bool is_recomputed = false;  ///< A forward op that runs again in the backward pass.
  Part part = Part::kNone;
  GpuRow::Kind kind = GpuRow::Kind::kKernel;
  MemoryKind source{}, destination{};  ///< Memories of copies and sets.
  DType dtype = DType::kUnknown, operand = DType::kUnknown;
  TensorCore tensor_core = TensorCore::kUnknown;
  bool is_product = false;         ///< The op is a product, a convolution or attention.
  bool is_product_kernel = false;  ///< The kernel computes it.
  bool is_main = false;
  bool is_collective = false;
  std::optional<GemmShape> gemm;
  std::string_view layout;  ///< Layout of a GEMM in cuBLAS's terms.
  std::vector<Tensor> tensors;
  /// Occupancy of the first launch; fills_gpu refers to that launch, too.
  std::optional<devices::Occupancy> occupancy;
  bool fills_gpu = false;  ///< There are as many blocks as fit on the GPU at once.

  double count = 0;
  double gpu_ns = 0;       ///< On the GPU.
  double host_ns = 0;      ///< On the host, from the launch before to its own.
  double compute_ns = 0;   ///< At the peak of its dtype, of the work for which that is known.
  double computed_ns = 0;  ///< GPU time of that work.
  double memory_ns = 0;    ///< Time of its least bytes at the peak of the memory.
  /// Of the work for which the roofline model has a time: that, and what is above it
  /// (headroom_of()).
  double model_ns = 0, above_ns = 0;
  double flops = 0, bytes = 0;
};

/// How far a captured step's idle time is from that of the program by itself, at most.
inline constexpr double kApart = 1.05;

/// The host is on its way from launch to launch, which the profiler makes longer.
bool is_on_its_way(IdleCause cause);

struct StepFacts {
  TypicalStep step;
  DeviceRow device;
  devices::DevicePeaks peaks;
  std::vector<DeviceClocks::Sample> clocks;  ///< Samples from the first steady step to the last.
  RankStanding standing;                     ///< Its standing among the ranks of its run.
  bool lacks_ranks = false;                  ///< Its run has others, none of which has a trace.
  double captured_ns = 0;                    ///< The mean period.
  /// The period without the profiler's part of the host's time, as estimated.
  double period_ns = 0;
  double gpu_ns = 0;   ///< GPU time of a step: all but the time in which it waits for the host.
  double host_ns = 0;  ///< Host time of a step: all but the time in which it waits for the GPU.
  double way_ns = 0;   ///< Part of host_ns: its way from launch to launch, 0.2 ms at most for each.
  double graph_kernels = 0;      ///< Kernels that graphs launch.
  double changing_kernels = 0;   ///< Kernels of ops and sizes that differ from step to step.
  double waits_amid = 0;         ///< Copies to the host amid the step, for which it waits.
  std::deque<WorkGroup> groups;  ///< In the order of their first launch.

  /// The gain of a step if GPU and host need so much less.
  [[nodiscard]] double gain_ns(double gpu_less_ns, double host_less_ns) const;
  /// As above, for a range of the GPU's time.
  [[nodiscard]] Gain gain(Gain gpu_less, double host_less_ns) const {
    return gain(gpu_less, {host_less_ns, host_less_ns});
  }
  [[nodiscard]] Gain gain(Gain gpu_less, Gain host_less) const {
    return {gain_ns(gpu_less.low_ns, host_less.low_ns),
            gain_ns(gpu_less.high_ns, host_less.high_ns)};
  }
  /// The part of the period for which neither GPU nor host accounts: they wait for each other in
  /// turns.
  [[nodiscard]] double apart_ns() const {
    return std::max(0.0, period_ns - std::max(gpu_ns, host_ns));
  }
  /// GPU time of work that is no longer there: its own time, and that of the turnarounds.
  [[nodiscard]] double with_turnaround(double gpu_ns, double kernels) const;
  [[nodiscard]] double idle_ns(IdleCause cause) const;
  [[nodiscard]] double idle_stretches(IdleCause cause) const;
  /// The part of the steps that have such stretches.
  [[nodiscard]] double idle_steps(IdleCause cause) const;
};

using StepsByDevice = std::map<DeviceOfTrace, TypicalStep>;

/// Has the number alone if the trace does not describe the GPU, as some imported ones do not.
DeviceRow device_row(TraceReader& trace, std::uint32_t device);

/// The typical steps of all traces. Reads the work of each once.
Result<StepsByDevice> typical_steps(const RowInput& input);

/// Collects the facts from the work of all traces, in launch order.
class StepFactsCollector {
 public:
  /// Reads of each trace the calls that wait for the GPU, and the samples of its clocks.
  StepFactsCollector(const RowInput& input, const StepsByDevice& steps);
  ~StepFactsCollector();

  /// Whether it is in a typical step.
  bool add(WorkRow& row);
  [[nodiscard]] Status status() const { return status_; }
  Result<std::map<DeviceOfTrace, StepFacts>> finish();

 private:
  class OfDevice;
  class HostTime;
  class StepOrder;
  struct HostPart;

  std::map<DeviceOfTrace, std::unique_ptr<OfDevice>> devices_;
  std::map<const TraceIdentity*, std::unique_ptr<HostTime>> hosts_;
  const RowInput& input_;
  Status status_;
};

}  // namespace prof::reports
