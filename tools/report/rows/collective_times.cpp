// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives as a row kind (analyzers/timeline/collective_times.hpp), by GPU and in order of time,
// with what other ranks say of their waits. Filters choose collectives: what hides them always
// counts.
#include "analyzers/timeline/collective_times.hpp"

#include <algorithm>
#include <string_view>

#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

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

class CollectiveTimesOfTrace final : public RowsOfTrace {
 public:
  CollectiveTimesOfTrace(const TraceMember& trace, const RowInput& input);
  /// By GPU, in order of their ends.
  CollectiveRow* next() override;
  [[nodiscard]] Status status() const override { return status_ ? times_.status() : status_; }

 private:
  void read(const TraceMember& trace, const RowInput& input);

  CollectiveTimes times_;
  std::optional<StepFilter> steps_;
  CollectiveRow row_;
  const RankWaits* waits_ = nullptr;
  Status status_;
};

CollectiveTimesOfTrace::CollectiveTimesOfTrace(const TraceMember& trace, const RowInput& input)
    : times_(trace.reader), steps_(input.filter.step), row_(trace) {
  read(trace, input);
  if (!status() || !times_.has_collectives()) return;
  const Result<const RankWaits*> waits = rank_waits(input);
  if (waits) waits_ = *waits;
  if (!waits) status_ = waits.error();
}

void CollectiveTimesOfTrace::read(const TraceMember& trace, const RowInput& input) {
  const auto source = input.reading.work(trace.reader, TraceReader::Work::kKernels);
  std::optional<std::int64_t> last;
  while (times_.status()) {
    const AttributedRow* const row = source->next();
    if (row == nullptr) break;
    if (const auto& step = row->attribution.step) {
      input.tally.filter.steps.add(*step);
      last = std::max(last.value_or(INT64_MIN), *step);
    }
    times_.add(*row);
  }
  status_ = source->status();
  if (steps_ && steps_->with_last) steps_ = steps_->with_last_at(last);
}

CollectiveRow* CollectiveTimesOfTrace::next() {
  while (const Collective* const found = status() ? times_.next() : nullptr) {
    if (steps_ && !(found->step && steps_->holds(*found->step))) continue;
    row_.set(*found, waits_);
    return &row_;
  }
  return nullptr;
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
    .reads_work = 1,
};

}  // namespace prof::reports
