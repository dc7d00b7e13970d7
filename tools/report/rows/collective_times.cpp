// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives as a row kind, by GPU and in order of time: each kernel that moves data between GPUs,
// and how long the GPU computed nothing while it ran. Reads the attributed kernels once and sorts
// them by their times, in temporary files beyond 64 MB a GPU. Filters choose collectives: what
// hides them always counts.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>

#include "tools/common/record_sort.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/work_timeline.hpp"
#include "tools/report/table/ordered_bits.hpp"

namespace prof::reports {
namespace {

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
class CollectiveRow final : public Row {
 public:
  explicit CollectiveRow(const TraceMember& trace) : trace_(trace) {}
  void set(const Collective& collective, const RankWaits* waits) {
    collective_ = &collective;
    wait_ = {};
    if (waits == nullptr || of().duration_ns <= 0) return;
    wait_ = waits->find({&trace_.identity, of().device}, of().start_ns,
                        sum_of_times(of().start_ns, of().duration_ns));
  }

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override {
    return collective_->capture;
  }
  [[nodiscard]] const Collective& of() const { return *collective_; }
  [[nodiscard]] std::optional<std::int64_t> time_ns() const {
    return of().duration_ns > 0 ? std::optional(of().duration_ns) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> exposed_ns() const {
    return of().duration_ns > 0 ? std::optional(of().duration_ns - of().computing_ns)
                                : std::nullopt;
  }
  [[nodiscard]] const std::optional<CollectiveWait>& wait() const { return wait_; }
  /// All of its time, where no other rank's trace says how long it waits.
  [[nodiscard]] std::optional<std::int64_t> transfer_ns() const {
    if (of().duration_ns <= 0) return std::nullopt;
    return of().duration_ns - (wait_ ? wait_->wait_ns : 0);
  }
  [[nodiscard]] Cell start_ns() const {
    return of().duration_ns > 0 ? signed_number(on_axis(trace_, of().start_ns)) : absent();
  }
  [[nodiscard]] Cell rate(const std::optional<double>& bytes) const {
    const std::optional<std::int64_t> transfer = transfer_ns();
    if (!bytes || !transfer || *transfer <= 0) return absent();
    return real(*bytes / static_cast<double>(*transfer));
  }

 private:
  const TraceMember& trace_;
  const Collective* collective_ = nullptr;
  std::optional<CollectiveWait> wait_;
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

class CollectiveTimesOfTrace final : public RowsOfTrace {
 public:
  CollectiveTimesOfTrace(const TraceMember& trace, const RowInput& input);
  /// By GPU, in order of their ends.
  CollectiveRow* next() override;
  [[nodiscard]] Status status() const override { return status_; }

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
  std::optional<StepFilter> steps_;

  // Where next() is.
  std::map<std::uint32_t, OfDevice>::iterator device_;
  CoveredTime computing_;
  std::multimap<std::int64_t, Running> running_;  // by end
  std::optional<tools::SortedRecord> kernel_;     // that has yet to begin
  Collective current_;
  CollectiveRow row_;
  const RankWaits* waits_ = nullptr;
  Status status_;
};

constexpr std::size_t kKernelSortBytes = std::size_t{64} << 20;

/// What is sorted: one of these, or a Collective.
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

/// Of the elements that are sent; unknown if the tensors differ.
DType dtype_of(const OpAttribution& op) {
  if (op.dtype != DType::kUnknown || op.tensors.empty()) return op.dtype;
  const DType first = op.tensors.front().dtype;
  const bool all =
      std::ranges::all_of(op.tensors, [&](const Tensor& t) { return t.dtype == first; });
  return all ? first : DType::kUnknown;
}

CollectiveTimesOfTrace::CollectiveTimesOfTrace(const TraceMember& trace, const RowInput& input)
    : trace_(trace), steps_(input.filter.step), row_(trace) {
  read(input);
  device_ = devices_.begin();
  const bool has_collectives =
      std::ranges::any_of(devices_, [](const auto& one) { return one.second.has_collectives; });
  if (!status_ || !has_collectives) return;
  const Result<const RankWaits*> waits = rank_waits(input);
  if (waits) waits_ = *waits;
  if (!waits) status_ = waits.error();
}

void CollectiveTimesOfTrace::read(const RowInput& input) {
  const auto source = input.attribute(trace_.reader, TraceReader::Work::kKernels);
  std::optional<std::int64_t> last;
  while (status_) {
    const AttributedRow* const row = source->next();
    if (row == nullptr) break;
    if (const auto& step = row->attribution.step) {
      input.tally.filter.steps.add(*step);
      last = std::max(last.value_or(INT64_MIN), *step);
    }
    place(*row);
  }
  if (status_) status_ = source->status();
  if (steps_ && steps_->with_last) steps_ = steps_->with_last_at(last);
}

void CollectiveTimesOfTrace::place(const AttributedRow& row) {
  const GpuRow& gpu = row.gpu;
  const bool is_wanted = is_collective(row.attribution);
  if (!is_wanted && gpu.duration_ns <= 0) return;
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

Collective CollectiveTimesOfTrace::collective_of(const AttributedRow& row) {
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
  made.capture = capture_of(gpu, trace_.reader.captures());
  made.step = attribution.step;
  if (gpu.launched && gpu.thread) made.thread = gpu.thread.value;
  made.correlation = gpu.launch;
  return made;
}

std::string_view CollectiveTimesOfTrace::keep(std::string_view text) {
  return text.empty() ? std::string_view() : *texts_.emplace(text).first;
}

CollectiveRow* CollectiveTimesOfTrace::next() {
  for (; status_ && device_ != devices_.end(); ++device_) {
    OfDevice& device = device_->second;
    while (device.has_collectives) {
      const Collective* const found = next_of_device(*device.kernels);
      if (found == nullptr) break;
      if (steps_ && !(found->step && steps_->holds(*found->step))) continue;
      row_.set(*found, waits_);
      return &row_;
    }
    status_ = device.kernels->status();
    device.kernels.reset();
    computing_ = {};
  }
  return nullptr;
}

const Collective* CollectiveTimesOfTrace::next_of_device(Sort& kernels) {
  while (true) {
    if (!kernel_) {
      const tools::SortedRecord* const record = kernels.next();
      if (record == nullptr) return ended_by(INT64_MAX);
      kernel_ = *record;
    }
    if (const Collective* const ended = ended_by(time_of(kernel_->rank))) return ended;
    begin(kernel_->bytes);
    kernel_.reset();
  }
}

const Collective* CollectiveTimesOfTrace::ended_by(std::int64_t time_ns) {
  const auto first = running_.begin();
  if (first == running_.end() || first->first > time_ns) return nullptr;
  current_ = first->second.collective;
  current_.computing_ns =
      difference_of_times(computing_.until(first->first), first->second.computed_ns);
  running_.erase(first);
  return &current_;
}

void CollectiveTimesOfTrace::begin(std::string_view record) {
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

// clang-format off
constexpr auto kCollectiveFields = with_trace({
    {Column::text("op", "Op", "collective: all_reduce, all_gather, ...; of a kernel outside of known collectives the op around it").cut_end(10), [](CollectiveRow& r) { return text(r.of().op); }, Role::kKey},
    {Column::text("op_inner", "Inner op", "the library's call, if a range names it").cut_end(8), [](CollectiveRow& r) { return text(r.of().op_inner); }, Role::kKey},
    {Column::text("dir", "Direction", "fprop, bprop or update (the optimizer)"), [](CollectiveRow& r) { return text(name(r.of().direction)); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the launch, separated by ':'").cut_front(14), [](CollectiveRow& r) { return text(r.of().layer); }, Role::kKey},
    {Column::text("params", "Params", "shapes, or size, ranks and calls in a group").styled(Column::Style::kTensors).cut_end(12), [](CollectiveRow& r) { return text(r.of().params); }, Role::kKey},
    {Column::text("dtype", "Type", "data type of the elements").cut_end(7), [](CollectiveRow& r) { return text(name(r.of().dtype)); }, Role::kKey},
    {Column::real("message_bytes", "Message", "B", "message size, as nccl-tests counts it", 0).grouped(), [](CollectiveRow& r) { return real(r.of().message_bytes); }},
    {Column::text("kernel", "Kernel", "short name of the kernel").cut_end(14), [](CollectiveRow& r) { return text(r.of().kernel); }, Role::kKey},
    {Column::text("family", "Family", "library of the kernel, from its name"), [](CollectiveRow& r) { return text(r.of().family); }, Role::kKey},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](CollectiveRow& r) { return number(r.of().device); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream"), [](CollectiveRow& r) { return number(r.of().stream); }, Role::kKey},
    {Column::integer("thread", "Thread", "", "launching thread, as numbered in the trace"), [](CollectiveRow& r) { return r.of().thread ? number(*r.of().thread) : absent(); }, Role::kKey},
    {Column::integer("step", "Step", "", "number of the training step around the launch"), [](CollectiveRow& r) { return r.of().step ? signed_number(*r.of().step) : absent(); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time on the GPU, also that in which it waits for other ranks", 0).grouped().wide(9), [](CollectiveRow& r) { return microseconds(r.time_ns()); }, Role::kAlias},
    {Column::time("time_ns", "Time", "time on the GPU, also that in which it waits for other ranks").wide(9), [](CollectiveRow& r) { return nanoseconds(r.time_ns()); }},
    {Column::time("exposed_ns", "Exposed", "part of it in which the GPU computed nothing; of collectives that overlap, each has it"), [](CollectiveRow& r) { return nanoseconds(r.exposed_ns()); }},
    {Column::time("wait_ns", "Waits", "part of the time in which it waits for another rank to come; absent: no other rank's trace has the same collective"), [](CollectiveRow& r) { return r.wait() ? signed_number(r.wait()->wait_ns) : absent(); }},
    {Column::time("transfer_ns", "Transfer", "the rest of the time; all of it, if waits are unknown"), [](CollectiveRow& r) { return nanoseconds(r.transfer_ns()); }},
    {Column::text("waits_for", "Waits for", "rank that comes last, for which the others wait"), [](CollectiveRow& r) { return r.wait() ? text(r.wait()->waits_for) : absent(); }, Role::kKey},
    {Column::instant("start_ns", "Start", "start on the GPU, since the start of the trace"), [](CollectiveRow& r) { return r.start_ns(); }},
    {Column::real("alg_gb_per_s", "AlgBW", "GB/s", "message size over the time without waits (nccl-tests' algbw)", 1).grouped(), [](CollectiveRow& r) { return r.rate(r.of().message_bytes); }},
    {Column::real("bus_gb_per_s", "BusBW", "GB/s", "algorithm bandwidth times the share each link carries (nccl-tests' busbw)", 1).grouped(), [](CollectiveRow& r) { return r.rate(r.of().bus_bytes); }},
    {Column::integer("correlation", "Correlation", "", "links the kernel to its launching call in trace.db"), [](CollectiveRow& r) { return r.of().correlation != 0 ? number(r.of().correlation) : absent(); }},
    {Column::integer("collective", "Collective", "", "number of the collective, the same on all its ranks; absent: no other rank's trace has the same collective"), [](CollectiveRow& r) { return r.wait() ? number(r.wait()->collective) : absent(); }, Role::kOnRequest},
});
// clang-format on

}  // namespace

constinit const RowKind kCollectives = {
    .names = {"collective", "collectives", "collectives",
              "every kernel of a collective, send or receive, by GPU"},
    .fields = kCollectiveFields,
    .steps = Steps::kOwn,
    .open =
        [](const RowInput& input) {
          return rows_by_trace<CollectiveTimesOfTrace>(kCollectives, input);
        },
};

}  // namespace prof::reports
