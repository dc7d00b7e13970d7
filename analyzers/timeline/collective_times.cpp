// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/collective_times.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "libprof/base/ordered_bits.hpp"

namespace prof {
namespace {

constexpr std::size_t kKernelSortBytes = std::size_t{64} << 20;

/// The sorted data: one of these, or a Collective.
struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
};
static_assert(std::is_trivially_copyable_v<Collective>);
static_assert(sizeof(Interval) != sizeof(Collective));

template <typename Data>
std::string_view bytes_of(const Data& data) {
  return {reinterpret_cast<const char*>(&data), sizeof data};
}

/// Signed times in the order of unsigned ranks.
std::int64_t time_of(std::uint64_t rank) {
  return static_cast<std::int64_t>(rank ^ (std::uint64_t{1} << 63U));
}

/// Type of the elements that are sent; unknown if the tensors differ.
DType dtype_of(const OpAttribution& op) {
  if (op.dtype != DType::kUnknown || op.tensors.empty()) return op.dtype;
  const DType first = op.tensors.front().dtype;
  const bool all =
      std::ranges::all_of(op.tensors, [&](const Tensor& t) { return t.dtype == first; });
  return all ? first : DType::kUnknown;
}

}  // namespace

void CollectiveTimes::add(const AttributedRow& row) {
  const GpuRow& gpu = row.gpu;
  const bool is_wanted = is_collective(row.attribution);
  if (!is_wanted && gpu.duration_ns <= 0) return;
  if (!status_) return;
  OfDevice& device = devices_[gpu.device];
  if (device.kernels == nullptr) device.kernels = std::make_unique<Sort>(kKernelSortBytes);
  if (is_wanted) {
    device.has_collectives = true;
    status_ = device.kernels->add(ordered_bits(gpu.start_ns), bytes_of(collective_of(row)));
  } else {
    const Interval interval{gpu.start_ns, sum_of_times(gpu.start_ns, gpu.duration_ns)};
    status_ = device.kernels->add(ordered_bits(gpu.start_ns), bytes_of(interval));
  }
}

Collective CollectiveTimes::collective_of(const AttributedRow& row) {
  const GpuRow& gpu = row.gpu;
  const Attribution& attribution = row.attribution;
  const OpAttribution& op = *attribution.op;
  Collective made;
  made.start_ns = gpu.start_ns;
  made.duration_ns = gpu.duration_ns;
  made.op = keep(op.op);
  made.op_inner = keep(op.op_inner);
  made.layer = keep(op.layer);
  made.params = keep(op.params);
  if (attribution.kernel != nullptr) {
    made.kernel = keep(attribution.kernel->short_name);
    made.family = attribution.kernel->family;
  }
  made.direction = op.direction;
  made.dtype = dtype_of(op);
  made.message_bytes = attribution.cost.algorithm_bytes;
  made.bus_bytes = attribution.cost.bus_bytes;
  made.device = gpu.device;
  made.stream = gpu.stream;
  made.capture = capture_of(gpu, trace_.captures());
  made.step = attribution.step;
  if (gpu.launched && gpu.thread) made.thread = gpu.thread.value;
  made.correlation = gpu.launch;
  return made;
}

std::string_view CollectiveTimes::keep(std::string_view text) {
  return text.empty() ? std::string_view() : *texts_.emplace(text).first;
}

bool CollectiveTimes::has_collectives() const {
  return std::ranges::any_of(devices_, [](const auto& one) { return one.second.has_collectives; });
}

const Collective* CollectiveTimes::next() {
  if (!device_) device_ = devices_.begin();
  for (; status_ && *device_ != devices_.end(); ++*device_) {
    OfDevice& device = (*device_)->second;
    const Collective* const found =
        device.has_collectives ? next_of_device(*device.kernels) : nullptr;
    if (found != nullptr) return found;
    status_ = device.kernels->status();
    device.kernels.reset();
    device.has_collectives = false;
    computing_ = {};
  }
  return nullptr;
}

const Collective* CollectiveTimes::next_of_device(Sort& kernels) {
  while (true) {
    if (!kernel_) {
      const SortedRecord* const record = kernels.next();
      if (record == nullptr) return ended_by(INT64_MAX);
      kernel_ = *record;
    }
    if (const Collective* const ended = ended_by(time_of(kernel_->rank))) return ended;
    begin(kernel_->bytes);
    kernel_.reset();
  }
}

const Collective* CollectiveTimes::ended_by(std::int64_t time_ns) {
  const auto first = running_.begin();
  if (first == running_.end() || first->first > time_ns) return nullptr;
  current_ = first->second.collective;
  current_.computing_ns =
      difference_of_times(computing_.until(first->first), first->second.computed_ns);
  running_.erase(first);
  return &current_;
}

void CollectiveTimes::begin(std::string_view record) {
  if (record.size() == sizeof(Interval)) {
    Interval interval;
    std::memcpy(&interval, record.data(), sizeof interval);
    computing_.add(interval.begin_ns, interval.end_ns);
    return;
  }
  Running started;
  std::memcpy(static_cast<void*>(&started.collective), record.data(), sizeof started.collective);
  const Collective& of = started.collective;
  started.computed_ns = computing_.until(of.start_ns);
  running_.emplace(sum_of_times(of.start_ns, of.duration_ns), started);
}

}  // namespace prof
