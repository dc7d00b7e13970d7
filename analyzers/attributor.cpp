// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attributor.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzers/attribution_tally.hpp"
#include "analyzers/checks/contradictions.hpp"
#include "analyzers/cost/l2_reuse.hpp"
#include "analyzers/graphs/graph_sizes.hpp"
#include "analyzers/graphs/launched_work.hpp"
#include "analyzers/graphs/replay_tracker.hpp"
#include "analyzers/held_rows.hpp"
#include "analyzers/kernel_catalog.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "analyzers/steps/repeated_steps.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

// How far the launch order may differ from the order of launch times across threads.
constexpr std::int64_t kOrderSlackNs = 1'000'000;
constexpr std::uint32_t kRowsBetweenTrims = 64;

/// What a device can do, and what its L2 holds.
struct DeviceState {
  explicit DeviceState(const DeviceRow& device) : limits(device), l2(limits) {}
  devices::DeviceLimits limits;
  L2Reuse l2;
};

/// A launch of a graph without its kernels. No blocks: no kernel is known.
bool is_whole_graph(const GpuRow& row, const KernelEntry& kernel) {
  return row.kind == GpuRow::Kind::kKernel && row.graph != 0 && row.graph_node == 0 &&
         kernel.blocks == 0;
}

/// Absent: a graph that has no call which launched it.
std::optional<std::int64_t> launch_time_of(const GpuRow& row) {
  return row.launched ? std::optional(row.launch_start_ns) : std::nullopt;
}

void set_numbers(const SequenceNumbers& seq, Attribution& to) {
  if (seq.count == 0) return;
  to.seq = seq.numbers[0];
  to.altseq.assign(seq.numbers.begin() + 1, seq.numbers.begin() + seq.count);
}

/// Takes rows in launch order, with what their stacks, their graphs and their kernels mean; holds
/// them until their cost is known; then returns them.
class Attributor final : public AttributedWork {
 public:
  Attributor(TraceReader& reader, const AttributorOptions& options)
      : reader_(reader),
        stacks_(reader, std::max<std::uint32_t>(options.max_cache_entries, 64),
                options.range_options),
        repeats_(reader, stacks_.steps(), options.max_cache_entries),
        replays_(reader, stacks_, options.max_cache_entries),
        kernels_(reader, options.max_cache_entries),
        skips_copies_(replays_.any() && options.work == TraceReader::Work::kKernels),
        work_(launched_work(reader,
                            skips_copies_ ? TraceReader::Work::kKernelsAndCopies : options.work)),
        held_(kernels_, stacks_, options.max_held_rows) {
    for (const DeviceRow& device : reader.devices()) devices_.try_emplace(device.device, device);
  }

  const AttributedRow* next() override {
    if (first_is_returned_) held_.remove_first();
    first_is_returned_ = false;
    while (!held_.is_ready()) {
      if (ended_ || held_.is_full()) {
        if (held_.empty()) return nullptr;
        held_.complete_first();
      } else if (const GpuRow* row = work_->next()) {
        take(*row);
      } else {
        ended_ = true;
      }
    }
    finish(held_.first());
    first_is_returned_ = true;
    return &held_.first();
  }

  /// Errors of the rows first, then of what they refer to.
  [[nodiscard]] Status status() const override {
    PROF_TRY(work_->status());
    PROF_TRY(replays_.status());
    PROF_TRY(repeats_.status());
    if (sizes_) PROF_TRY(sizes_->status());
    return reader_.status();
  }

  [[nodiscard]] AttributionCounts counts() const override {
    AttributionCounts counts = tally_.counts();
    counts.links = stacks_.links();
    counts.unknown_nodes = replays_.unknown();
    counts.batches_without_beginning = stacks_.batches_without_beginning();
    counts.malformed_op_texts = stacks_.texts().malformed_texts();
    counts.first_malformed_text = stacks_.texts().first_malformed_text();
    counts.first_malformed_why = stacks_.texts().first_malformed_why();
    return counts;
  }

 private:
  void take(const GpuRow& row) {
    if (++rows_since_trim_ >= kRowsBetweenTrims) trim();
    if (row.launched && row.launch_start_ns > 0) {
      held_.complete_ended(difference_of_times(row.launch_start_ns, kOrderSlackNs));
    }
    const KernelEntry& kernel = kernels_.of(row);
    replays_.advance(row);
    const StackMeaning& launch = meaning_of(row);
    if (skips_copies_ && row.kind != GpuRow::Kind::kKernel) {
      enter_replay(row, launch);  // the ids of a replay's ops count copies, too
      return;
    }
    tally_.add_stack(launch);
    if (is_whole_graph(row, kernel)) return take_whole_graph(row, kernel, launch);
    const StackMeaning* const replayed = enter_replay(row, launch);
    const StackMeaning& meaning = replayed != nullptr ? *replayed : launch;
    HeldRow& held = add(row, kernel, meaning);
    Attribution& made = held.attribution;
    made.op = attribution(meaning, row, kernel);
    if (replayed != nullptr) {
      made.launch = attribution(launch, row, kernel);
      if (row.kind == GpuRow::Kind::kKernel) tally_.add_replayed();
      if (row.launched) made.replay_id = replays_.first_id();
    }
    made.op_id = meaning.op_id;
    made.call_id = meaning.call_id;
    set_numbers(meaning.seq, made);
    held.role = kernel.role_in(*made.op);
    held.position = repeats_.position_of(row);
    if (!row.launched) return;
    if (held.position.role == RepeatedSteps::Role::kRepeat) return held_.leave(row.thread);
    held_.join(meaning, replayed != nullptr);
  }

  /// It belongs to no instance of an op, so that it has no share in any cost.
  void take_whole_graph(const GpuRow& row, const KernelEntry& kernel, const StackMeaning& launch) {
    if (!sizes_) sizes_.emplace(reader_);
    Attribution& made = add(row, kernel, launch).attribution;
    made.op = StackWalker::whole_graph(stacks_.attributed(launch, launch_time_of(row)));
    made.is_whole_graph = true;
    made.graph_nodes = sizes_->of(row.graph);
  }

  /// A held row with what does not depend on its op.
  HeldRow& add(const GpuRow& row, const KernelEntry& kernel, const StackMeaning& meaning) {
    HeldRow& held = held_.add(row);
    held.unread = meaning.unread;
    held.claims = kernel.claims;
    held.blocks = kernel.blocks;
    held.weight =
        row.kind == GpuRow::Kind::kKernel ? kernel.threads : static_cast<std::int64_t>(row.bytes);
    held.attribution.kernel = kernel.facts;
    std::optional<OpenStep> step = meaning.step;
    // If the thread's ranges have none, the step open at the launch, on whatever thread.
    if (!step && row.launched) step = stacks_.steps().open_at(row.launch_start_ns);
    if (!step) return held;
    held.attribution.step = step->number;
    if (step->end_ns != INT64_MAX) held.attribution.step_end_ns = step->end_ns;
    return held;
  }

  const std::shared_ptr<const OpAttribution>& attribution(const StackMeaning& stack,
                                                          const GpuRow& row,
                                                          const KernelEntry& kernel) {
    return stacks_.attribution(stacks_.attributed(stack, launch_time_of(row)), kernel.types);
  }

  const StackMeaning& meaning_of(const GpuRow& row) {
    const RangeId stack = row.launched ? row.stack : 0;
    if (row.launched) stacks_.advance(row.launch_start_ns);
    if (stack != last_stack_ || last_.context == nullptr) {
      last_ = stacks_.meaning(stack);
      last_stack_ = stack;
    }
    return last_;
  }

  /// What the work means by its graph's node; null: its launch says.
  const StackMeaning* enter_replay(const GpuRow& row, const StackMeaning& launch) {
    const StackMeaning* const replayed = replays_.enter(row, launch);
    held_.follow_replay(replays_.first_id());
    return replayed;
  }

  void finish(HeldRow& held) {
    Attribution& made = held.attribution;
    if (held.position.role != RepeatedSteps::Role::kRepeat || !repeat(held.position, made)) {
      held_.settle_first();
    }
    const auto device = devices_.find(held.gpu.device);
    const auto& limits = device != devices_.end() ? device->second.limits : no_limits_;
    made.contradictions |= device_contradictions(made, held.gpu.duration_ns, limits);
    const bool is_kernel = held.gpu.kind == GpuRow::Kind::kKernel;
    made.l2_bytes = is_kernel && device != devices_.end()
                        ? device->second.l2.take(made, held.gpu.stream, held.gpu.duration_ns)
                        : 0;
    if (held.position.role == RepeatedSteps::Role::kSource) repeats_.record(held.position, made);
    tally_.add(held);
    if (is_kernel && made.op->layer.empty()) explain_missing_layer(held);
  }

  /// What the work that stands there repeats means. False: that is not known.
  bool repeat(const RepeatedSteps::Position& position, Attribution& made) {
    const Attribution* const known = repeats_.take(position);
    if (known == nullptr) return false;
    const std::optional<std::int64_t> step = made.step, step_end_ns = made.step_end_ns;
    made = *known;
    made.step = step;
    made.step_end_ns = step_end_ns;
    made.is_repeat = true;
    made.contradictions &= ~device_contradiction_kinds();
    return true;
  }

  void explain_missing_layer(const HeldRow& held) {
    if (held.unread != kDefaultDomain) {
      tally_.add_in_unread_domain(reader_.domain_name(held.unread));
    } else if (held.gpu.launched && stacks_.process_layers().at(held.gpu.launch_start_ns) != 0) {
      tally_.add_in_process_range();
    }
  }

  void trim() {
    rows_since_trim_ = 0;
    if (stacks_.trim()) {
      last_ = {};
      replays_.forget_contexts();
    }
    kernels_.trim();
  }

  TraceReader& reader_;
  StackWalker stacks_;
  RepeatedSteps repeats_;
  ReplayTracker replays_;
  KernelCatalog kernels_;
  const bool skips_copies_;  // they are read and not returned
  std::unique_ptr<GpuCursor> work_;
  HeldRows held_;
  std::optional<GraphSizes> sizes_;                         // of traces with whole graphs
  std::unordered_map<std::uint32_t, DeviceState> devices_;  // by CUDA device number
  const devices::DeviceLimits no_limits_;                   // of an unknown device
  RangeId last_stack_ = 0;
  StackMeaning last_;  // of that stack
  std::uint32_t rows_since_trim_ = 0;
  bool ended_ = false;
  bool first_is_returned_ = false;
  AttributionTally tally_;
};

}  // namespace

std::unique_ptr<AttributedWork> attribute_work(TraceReader& reader,
                                               const AttributorOptions& options) {
  return std::make_unique<Attributor>(reader, options);
}

}  // namespace prof
