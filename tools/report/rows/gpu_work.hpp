// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributed GPU work as row kinds (row_kinds.hpp), in launch order: kKernels, and kGpuWork, which
// includes copies and sets. A new fact about kernels is a line in gpu_work_fields.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzers/cost/product_waves.hpp"
#include "analyzers/devices/device_clocks.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "analyzers/devices/roofline.hpp"
#include "tools/report/filter/thread_facts.hpp"
#include "tools/report/rows/row.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// Facts of work that state their provenance, in the order of the cell.
enum class ProvenanceField : std::uint8_t {
  kLayer,
  kOp,
  kDirection,
  kShapes,
  kDType,
  kFlops,
  kBytes,
  kTensorCore,
  kCount
};
inline constexpr auto kProvenanceFields = static_cast<std::size_t>(ProvenanceField::kCount);

/// One kernel, copy or set and the source of its cells. Reused from row to row; cells may point
/// into it.
class WorkRow final : public Row {
 public:
  explicit WorkRow(const TraceMember& trace);

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  /// A time on the time axis shared by the traces of a host.
  [[nodiscard]] std::int64_t on_axis(std::int64_t time_ns) const {
    return reports::on_axis(trace_, time_ns);
  }
  void set(std::uint64_t idx, const AttributedRow& work) {
    idx_ = idx;
    work_ = &work;
    roofline_.reset();
  }
  /// 1 for the first row of the first trace, regardless of the filter.
  [[nodiscard]] std::uint64_t idx() const { return idx_; }
  [[nodiscard]] const GpuRow& row() const { return work_->gpu; }
  [[nodiscard]] const Attribution& attribution() const { return work_->attribution; }
  [[nodiscard]] const OpAttribution& op() const { return *work_->attribution.op; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override {
    return capture_of(row(), trace_.reader.captures());
  }
  /// The innermost range around the launch.
  [[nodiscard]] RangeId stack() const override { return row().stack; }
  /// The time of the launch.
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const override {
    return row().launch_time_ns();
  }
  [[nodiscard]] bool is_kernel() const { return row().kind == GpuRow::Kind::kKernel; }
  /// Copies, sets and graphs recorded as a whole have none.
  [[nodiscard]] bool has_grid() { return is_kernel() && config().grid.x != 0; }
  /// Null for copies and sets.
  [[nodiscard]] const KernelFacts* facts() const { return attribution().kernel.get(); }
  [[nodiscard]] const LaunchConfig& config() { return trace_.reader.config(row().config); }
  [[nodiscard]] std::string_view string(StringId id) { return trace_.reader.string(id); }
  /// Null if the launch or its thread is unknown.
  [[nodiscard]] const ThreadRow* thread() const {
    return row().launched ? threads_.find(row().thread) : nullptr;
  }
  /// Null if the trace has none.
  [[nodiscard]] const DeviceRow* device() const;
  [[nodiscard]] std::span<WordPair> words() { return words_; }
  [[nodiscard]] Provenance provenance(ProvenanceField field) const;
  /// The clocks at which it ran. The first call for a trace reads its samples.
  [[nodiscard]] const devices::Clocks& clocks();
  /// How long the work would take at the device's peaks at these clocks; at the stated peaks where
  /// there are no samples.
  [[nodiscard]] const devices::RooflineTimes& roofline();
  /// As roofline(), at the stated peaks, as if all bytes passed through the memory.
  [[nodiscard]] devices::PeakTimes at_stated_peaks() const;
  /// Status of the reading for single facts.
  [[nodiscard]] Status status() const { return clocks_ ? clocks_->status() : Status(); }
  /// "128x256x64", or "128x256" if k is unknown. Valid until the next call with the same `slot`.
  [[nodiscard]] std::string_view size_text(const BlockShape& shape, std::size_t slot);
  /// "12,15". Valid until the next call.
  [[nodiscard]] std::string_view altseq_text();
  /// "float16,-". Valid until the next call.
  [[nodiscard]] std::string_view input_types_text();
  /// "dtype,grid". Valid until the next call.
  [[nodiscard]] std::string_view contradictions_text();
  /// The shortage of a kernel that is bound by latency: "16 blocks on 132 SMs"; empty: not known.
  /// Valid until the next call.
  [[nodiscard]] std::string_view latency_text();

 private:
  const TraceMember& trace_;
  std::uint64_t idx_ = 0;
  const AttributedRow* work_ = nullptr;
  ThreadFacts threads_;
  struct Peaks {
    devices::DevicePeaks stated;
    devices::DeviceLimits limits;
    devices::Clocks clocks;  // those of at_clock
    devices::DevicePeaks at_clock;
  };
  std::unordered_map<std::uint32_t, Peaks> peaks_;  // by CUDA device number
  std::optional<DeviceClocks> clocks_;              // once they are asked for
  devices::Clocks ran_at_;
  std::optional<devices::RooflineTimes> roofline_;  // once it is asked for
  std::array<WordPair, kProvenanceFields> words_;
  std::array<std::array<char, 48>, 2> sizes_;
  std::string altseq_;
  std::string input_types_;
  std::string contradictions_;
  std::string latency_;
};

/// The rows of kKernels and kGpuWork, trace by trace in launch order. Keeps nothing.
std::unique_ptr<RowCursor<Row>> open_work(const RowInput& input, TraceReader::Work work);

/// A kernel's time by the roofline model, at the clocks that ran, and what it takes above that.
struct Headroom {
  double model_ns = 0, time_ns = 0;
};
/// Helpers, such as conversions of layout, need no time by the model: their op's main kernels carry
/// its cost. Empty: the model has no time for it.
std::optional<Headroom> headroom_of(WorkRow& row);

/// Cells that take more than reading a member of the row.
namespace work_cells {

Cell time_ns(WorkRow& row);
Cell time_us(WorkRow& row);
Cell start_ns(WorkRow& row);
/// The time from the end of the launching call to the start.
Cell queue_ns(WorkRow& row);
Cell kind(WorkRow& row);
Cell recompute(WorkRow& row);
Cell kernel_name(WorkRow& row, bool full);
/// The kernel's full name; for a copy or set, nsys's words for it.
Cell operation(WorkRow& row);
Cell layer(WorkRow& row);
Cell op(WorkRow& row);
Cell params(WorkRow& row);
Cell flops(WorkRow& row);
Cell bytes(WorkRow& row);
Cell tensor_core(WorkRow& row);
Cell gemm_size(WorkRow& row, std::int64_t GemmShape::*member);
Cell inner_size(WorkRow& row);
Cell provenance(WorkRow& row);
/// `amount` per nanosecond, in the printed unit.
Cell rate(WorkRow& row, const std::optional<double>& amount, double per_ns);
Cell tflop_per_s(WorkRow& row);
Cell gb_per_s(WorkRow& row);
/// For kernels only: a copy reads and writes the same number of bytes.
Cell part_of_bytes(WorkRow& row, std::optional<double> Quantities::*member);
Cell intensity(WorkRow& row);
Cell roofline_pct(WorkRow& row);
Cell peak_pct(WorkRow& row);
Cell peak_tflop_per_s(const devices::PeakTimes& times);
/// Bandwidth of the memory, or of the L2 where that takes longer.
Cell peak_gb_per_s(const devices::PeakTimes& times);
Cell stated_gb_per_s(WorkRow& row);
Cell l2_bytes(WorkRow& row);
Cell bound(WorkRow& row);
/// Whole MHz.
Cell clock_mhz(const std::optional<double>& clock);
Cell kernel_text(WorkRow& row, std::string_view KernelFacts::*member);
Cell kernel_dtype(WorkRow& row, DType KernelFacts::*member);
Cell kernel_size(WorkRow& row, std::optional<BlockShape> KernelFacts::*member, std::size_t slot);
Cell split_k(WorkRow& row);
/// The waves of a GEMM.
Cell waves(WorkRow& row, std::int64_t ProductWaves::*member);
/// The type in which tensor cores multiply what the op computes in; "none": in no type.
Cell tensor_type(WorkRow& row);
Cell origin(WorkRow& row);
Cell shared_bytes(WorkRow& row);
Cell device_name(WorkRow& row);

}  // namespace work_cells
}  // namespace prof::reports
