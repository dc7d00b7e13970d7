// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/work_timeline.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/devices/roofline.hpp"
#include "libprof/base/ordered_bits.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

constexpr std::size_t kSliceSortBytes = std::size_t{64} << 20;
/// A table of kernels is to stay small.
constexpr std::size_t kStateSortBytes = std::size_t{16} << 20;

DeviceState state_of(const AttributedRow& row) {
  if (row.gpu.kind != GpuRow::Kind::kKernel) return DeviceState::kCopying;
  return is_collective(row.attribution) ? DeviceState::kCollective : DeviceState::kComputing;
}

}  // namespace

void ProductSums::add(const std::optional<double>& ns) {
  ++count;
  if (ns) {
    peak_ns += *ns;
  } else {
    ++unknown;
  }
}

void ProductSums::add(const ProductSums& other) {
  peak_ns += other.peak_ns;
  count += other.count;
  unknown += other.unknown;
}

std::optional<double> ProductSums::pct_of(std::int64_t period_ns) const {
  if (count == unknown || period_ns <= 0) return std::nullopt;
  return 100 * peak_ns / static_cast<double>(period_ns);
}

WorkTimeline::WorkTimeline(TraceReader& trace, std::shared_ptr<IdleCauses> causes,
                           TakesRange takes_range, std::size_t timelines)
    : trace_(trace),
      takes_range_(std::move(takes_range)),
      sort_bytes_((causes != nullptr ? kSliceSortBytes : kStateSortBytes) / timelines),
      causes_(std::move(causes)) {
  for (const DeviceRow& device : trace.devices()) {
    peaks_.emplace(device.device, devices::device_peaks(device));
  }
  if (causes_ == nullptr) return;
  status_ = causes_->status();
  path_.emplace(trace);
}

WorkTimeline::~WorkTimeline() = default;

void WorkTimeline::read(AttributedWork& work) {
  while (status_) {
    const AttributedRow* const row = work.next();
    if (row == nullptr) break;
    add(*row);
  }
  if (status_) status_ = work.status();
}

void WorkTimeline::add(const AttributedRow& row) {
  const GpuRow& gpu = row.gpu;
  PlacedWork work;
  work.capture = capture_of(gpu, trace_.captures());
  work.begin_ns = gpu.start_ns;
  work.end_ns = sum_of_times(gpu.start_ns, gpu.duration_ns);
  work.state = state_of(row);
  add_to_step(row, work);
  if (causes_ != nullptr) add_launch(row, work);
  if (gpu.duration_ns <= 0) {
    if (!gpu.has_times()) ++untimed_;
    return;
  }
  auto& sort = work_[gpu.device];
  const bool has_causes = causes_ != nullptr;
  if (sort == nullptr)
    sort = std::make_unique<Sort>(has_causes ? kSliceSortBytes : kStateSortBytes);
  bytes_.clear();
  work.append(has_causes, bytes_);
  if (status_) status_ = sort->add(ordered_bits(work.begin_ns), bytes_);
}

/// How the host came to its launch: to be asked for all work, in this order.
void WorkTimeline::add_launch(const AttributedRow& row, PlacedWork& work) {
  const GpuRow& gpu = row.gpu;
  work.stream = gpu.stream;
  const OpTexts& texts = texts_of(row.attribution.op);
  work.op = texts.op;
  work.layer = texts.layer;
  if (!gpu.launched) return;
  work.launch.launched = true;
  work.launch.thread = gpu.thread;
  work.launch.call = cause_of(gpu.function);
  work.launch.launch_begin_ns = gpu.launch_start_ns;
  work.launch.launch_end_ns = sum_of_times(gpu.launch_start_ns, gpu.launch_duration_ns);
  work.launch.way = path_->to(gpu);
}

/// Sums of the step itself; its periods are those of the GPU.
void WorkTimeline::add_to_step(const AttributedRow& row, const PlacedWork& work) {
  const bool is_new_launch = row.gpu.launched && row.gpu.launch != last_launch_;
  if (row.gpu.launched) last_launch_ = row.gpu.launch;
  const DevicePart place{row.gpu.device, work.capture};
  const auto [found, is_new] = parts_.try_emplace(place);
  OfPart& part = found->second;
  if (is_new) {
    part.end_ns = end_of(place);
    if (takes_range_) part.periods.end_with_work();
  }
  if (takes_range_ && !takes_range_(row.gpu.stack, row.gpu.launch_time_ns())) return;
  const std::optional<std::int64_t>& step = row.attribution.step;
  StepWork& sums = step ? part.steps[*step] : part.outside;
  const bool is_kernel = row.gpu.kind == GpuRow::Kind::kKernel;
  ++(is_kernel ? sums.kernels : sums.copies);
  if (is_kernel) sums.threads += threads_of(row.gpu);
  if (is_new_launch) ++sums.launches;
  if (row.attribution.is_repeat && is_kernel) ++sums.repeats;
  sums.is_found |= row.attribution.step_is_found;
  if (step && row.gpu.launched) {
    part.periods.add_launch(*step, row.gpu.launch_start_ns,
                            sum_of_times(row.gpu.launch_start_ns, row.gpu.launch_duration_ns));
  }
  if (row.gpu.has_times()) {
    if (step) {
      part.periods.add_work(*step, work.begin_ns, work.end_ns, is_kernel);
    } else {
      part.periods.add_outside(work.begin_ns);
    }
  }
  const std::optional<std::int64_t>& end_ns = row.attribution.step_end_ns;
  if (step && end_ns && *end_ns <= part.end_ns) part.periods.add_range_end(*step, *end_ns);
  if (!row.attribution.op->is_product || !row.attribution.main) return;
  const auto peaks = peaks_.find(place.device);
  // With an upper bound of FLOPs, a utilization would be no bound at all.
  const bool is_upper_bound = row.attribution.basis == Basis::kUpperBound;
  const auto time = peaks == peaks_.end() || is_upper_bound
                        ? std::nullopt
                        : devices::times_at_peaks(row.attribution, peaks->second).compute_ns;
  sums.products.add(time);
  if (!row.attribution.op->is_recomputed) sums.model_products.add(time);
}

double WorkTimeline::threads_of(const GpuRow& row) {
  const auto [known, is_new] = threads_.try_emplace(row.config.value);
  if (is_new) {
    const LaunchConfig& launch = trace_.config(row.config);
    known->second = 1.0 * launch.grid.x * launch.grid.y * launch.grid.z * launch.block.x *
                    launch.block.y * launch.block.z;
  }
  return known->second;
}

std::int64_t WorkTimeline::end_of(const DevicePart& part) {
  const CaptureRow* const capture = part.capture ? trace_.captures().find(*part.capture) : nullptr;
  return capture != nullptr ? capture->end_ns.value_or(INT64_MAX) : INT64_MAX;
}

IdleCause WorkTimeline::cause_of(StringId function) {
  auto [known, is_new] = calls_.try_emplace(function.value);
  if (is_new) known->second = cause_of_call(trace_.string(function));
  return known->second;
}

const WorkTimeline::OpTexts& WorkTimeline::texts_of(
    const std::shared_ptr<const OpAttribution>& op) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  if (last_texts_ != nullptr && last_texts_->of == op) return *last_texts_;
  if (op_texts_.size() == kMost) op_texts_.clear();
  const auto [known, is_new] = op_texts_.try_emplace(op.get());
  if (is_new) known->second = {op, index_of(op->op), index_of(op->layer)};
  return *(last_texts_ = &known->second);
}

std::uint32_t WorkTimeline::index_of(const std::string& text) {
  if (const auto known = text_indices_.find(text); known != text_indices_.end()) {
    return known->second;
  }
  const auto index = static_cast<std::uint32_t>(texts_.size());
  text_indices_.emplace(texts_.emplace_back(text), index);
  return index;
}

const TimelineSlice* WorkTimeline::next() {
  while (at_ == ready_.size()) {
    ready_.clear();
    at_ = 0;
    if (!status_) return nullptr;
    finish();
    if (*device_ == work_.end()) return nullptr;
    Sort& sort = *(*device_)->second;
    if (const SortedRecord* const record = sort.next()) {
      take_next((*device_)->first, *record);
      continue;
    }
    end_part();
    status_ = sort.status();
    ++*device_;
  }
  return &ready_[at_++];
}

void WorkTimeline::rewind() {
  if (!device_) return;
  for (auto& [device, sort] : work_) sort->rewind();
  device_ = work_.begin();
  timeline_.reset();
  part_.reset();
  last_thread_ = {};
  ready_.clear();
  at_ = 0;
}

void WorkTimeline::finish() {
  if (device_) return;
  is_measuring_ = true;
  for (auto& [device, sort] : work_) {
    while (const SortedRecord* const record = sort->next()) take_next(device, *record);
    end_part();
    sort->rewind();
    if (status_) status_ = sort->status();
  }
  is_measuring_ = false;
  last_thread_ = {};
  device_ = work_.begin();
}

void WorkTimeline::take_next(std::uint32_t device, const SortedRecord& record) {
  PlacedWork work = PlacedWork::of(number_of_bits(record.rank), record.bytes, causes_ != nullptr);
  const DevicePart part{device, work.capture};
  if (part_ != part) {
    end_part();
    begin_part(part);
    last_stream_ = work.stream;
  }
  work.launch.is_other_stream = work.stream != last_stream_;
  work.launch.before = last_thread_;
  last_stream_ = work.stream;
  last_thread_ = work.launch.thread;
  timeline_->add(work.state, work.begin_ns, work.end_ns,
                 [&](const TimeSlice& slice) { take(slice, work, true); });
}

void WorkTimeline::begin_part(const DevicePart& part) {
  part_ = part;
  timeline_.emplace(parts_[part].periods.boundaries());
  extents_ = parts_[part].periods.steps();
  extent_ = 0;
}

void WorkTimeline::end_part() {
  if (timeline_) {
    const PlacedWork end = end_of_last_step();
    timeline_->finish([&](const TimeSlice& slice) { take(slice, end, false); });
  }
  timeline_.reset();
  part_.reset();
}

/// The host's time after the last work, up to the end of the step's range, is reported as if the
/// host launched more there.
PlacedWork WorkTimeline::end_of_last_step() {
  PlacedWork end;
  end.op = end.layer = index_of({});
  if (extents_.empty()) return end;
  end.launch.launched = true;
  end.launch.thread = end.launch.before = last_thread_;
  WayToLaunch& way = end.launch.way;
  way.quiet_begin_ns = extents_.back().settled_ns;
  way.quiet_end_ns = extents_.back().period_end_ns;
  end.launch.launch_begin_ns = end.launch.launch_end_ns = way.quiet_end_ns;
  return end;
}

/// Periods come in the order of the steps.
void WorkTimeline::measure_outside(const TimeSlice& slice) {
  if (!slice.step || slice.state == DeviceState::kIdle) return;
  while (extents_[extent_].step != *slice.step) ++extent_;
  const std::int64_t begin = std::max(slice.begin_ns, extents_[extent_].settled_ns);
  const std::int64_t time = std::max<std::int64_t>(0, difference_of_times(slice.end_ns, begin));
  add_time(parts_[*part_].steps[*slice.step].outside_ns, time);
}

void WorkTimeline::take(const TimeSlice& slice, const PlacedWork& next, bool is_work) {
  if (is_measuring_) return measure_outside(slice);
  TimelineSlice made{.part = *part_, .time = slice, .op = {}, .layer = {}, .thread = {}};
  if (slice.state != DeviceState::kIdle || causes_ == nullptr) {
    ready_.push_back(made);
    return;
  }
  made.op = texts_[next.op];
  made.layer = texts_[next.layer];
  if (is_work) made.thread = next.launch.thread;
  for (const IdlePart& idle : causes_->of(slice.begin_ns, slice.end_ns, next.launch)) {
    made.time.begin_ns = idle.begin_ns;
    made.time.end_ns = idle.end_ns;
    made.cause = idle.cause;
    ready_.push_back(made);
  }
}

}  // namespace prof
