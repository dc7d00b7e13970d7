// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attributor.hpp"

#include <algorithm>
#include <optional>

#include "analyzers/attribution_tally.hpp"
#include "analyzers/compiled/compiled_work.hpp"
#include "analyzers/cost/device_findings.hpp"
#include "analyzers/explainer.hpp"
#include "analyzers/facts/kernel_rules.hpp"
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

/// A launch of a graph without its kernels. No blocks: no kernel is known.
bool is_whole_graph(const GpuRow& row, const KernelEntry& kernel) {
  return row.kind == GpuRow::Kind::kKernel && row.graph != 0 && row.graph_node == 0 &&
         kernel.blocks == 0;
}

/// Takes rows in launch order, with what their stacks, their graphs and their kernels mean; holds
/// them until their cost is known; then returns them.
class Attributor final : public AttributedWork {
 public:
  Attributor(TraceReader& reader, const AttributorOptions& options)
      : reader_(reader),
        is_of_python_(is_of_python(reader)),
        stacks_(reader, std::max<std::uint32_t>(options.max_cache_entries, 64),
                options.range_options),
        repeats_(reader, stacks_.steps(), options.max_cache_entries),
        replays_(reader, stacks_, options.max_cache_entries),
        compiled_(reader, stacks_, replays_),
        kernels_(reader, options.max_cache_entries),
        devices_(reader),
        skips_copies_(replays_.any() && options.work == TraceReader::Work::kKernels),
        work_(launched_work(reader,
                            skips_copies_ ? TraceReader::Work::kKernelsAndCopies : options.work)),
        held_(kernels_, stacks_, options.max_held_rows),
        tally_(reader, stacks_, replays_, compiled_),
        explainer_(options.explainer) {
    if (explainer_ != nullptr) explainer_->begin_trace(reader);
  }
  Attributor(const Attributor&) = delete;
  Attributor& operator=(const Attributor&) = delete;
  /// Reports read many traces, one after the other.
  ~Attributor() override { reader_.forget_ranges(); }

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
    PROF_TRY(compiled_.status());
    if (sizes_) PROF_TRY(sizes_->status());
    PROF_TRY(stacks_.status());
    return reader_.status();
  }

  [[nodiscard]] AttributionCounts counts() const override { return tally_.counts(); }

 private:
  void take(const GpuRow& row) {
    if (++rows_since_trim_ >= kRowsBetweenTrims) trim();
    if (row.launched && row.launch_start_ns > 0) {
      held_.complete_ended(difference_of_times(row.launch_start_ns, kOrderSlackNs));
    }
    const KernelEntry& kernel = kernels_.of(row);
    replays_.advance(row);
    const StackMeaning& launch = stacks_.at_launch(row);
    if (skips_copies_ && row.kind != GpuRow::Kind::kKernel) {
      enter_replay(row, launch);  // the ids of a replay's ops count copies, too
      return;
    }
    tally_.add_stack(launch);
    const bool is_explained = explainer_ != nullptr && explainer_->takes_next(compiled_.counts());
    if (is_whole_graph(row, kernel)) return take_whole_graph(row, kernel, launch, is_explained);
    const StackMeaning* const replayed = enter_replay(row, launch);
    const StackMeaning& stack = replayed != nullptr ? *replayed : launch;
    const StackMeaning* const site =
        row.kind == GpuRow::Kind::kKernel
            ? compiled_.enter(kernel.facts->short_name, launch, replayed)
            : nullptr;
    const StackMeaning& meaning = site != nullptr ? *site : stack;
    HeldRow& held = held_.add(row, kernel, meaning);
    Attribution& made = held.attribution;
    Context& context = context_of(meaning, row, kernel);
    if (is_explained) explain(row, {launch, replayed, site, context});
    made.op = stacks_.attribution(context, kernel.types);
    if (replayed != nullptr) {
      made.launch = attribution(launch, row, kernel);
      if (row.kind == GpuRow::Kind::kKernel) tally_.add_replayed();
      if (row.launched) made.replay_id = replays_.first_id();
    }
    made.op_id = meaning.op_id;
    made.call_id = meaning.call_id;
    made.seq = meaning.seq;
    held.role = kernel.role_in(*made.op);
    held.position = repeats_.position_of(row);
    if (!row.launched) return;
    if (context.facts.op.is_kernel) return held_.leave(row.thread);  // no range, no instance
    if (held.position.role == RepeatedSteps::Role::kRepeat) return held_.leave(row.thread);
    held_.join(meaning, replayed != nullptr);
  }

  /// It belongs to no instance of an op, so that it has no share in any cost.
  void take_whole_graph(const GpuRow& row, const KernelEntry& kernel, const StackMeaning& launch,
                        bool is_explained) {
    if (!sizes_) sizes_.emplace(reader_);
    Attribution& made = held_.add(row, kernel, launch).attribution;
    Context& context = stacks_.attributed(launch, row.launch_time_ns());
    if (is_explained) explain(row, {launch, nullptr, nullptr, context});
    made.op = StackWalker::whole_graph(context);
    made.is_whole_graph = true;
    made.graph_nodes = sizes_->of(row.graph);
  }

  /// The context that the row's work is attributed to.
  Context& context_of(const StackMeaning& stack, const GpuRow& row, const KernelEntry& kernel) {
    Context& context = stacks_.attributed(stack, row.launch_time_ns());
    if (is_own_op(context.facts, row, kernel.own_op)) {
      return stacks_.in_kernel(context, kernel.own_op.op, kernel.own_op.name);
    }
    const bool is_of_program = row.kind == GpuRow::Kind::kKernel && kernel.facts->family.empty();
    return is_of_program ? stacks_.in_plain_kernel(stack, context, kernel.facts->short_name,
                                                   kernel.own_op.name)
                         : context;
  }

  bool is_own_op(const Facts& around, const GpuRow& row, const KernelOp& kernel) {
    if (kernel.op == nullptr || !lacks_op(around)) return false;
    if (kernel.is_sure || is_in_compiled_code(around)) return true;
    // The launcher that Triton compiles calls the driver; so does hardly another Python program.
    return is_of_python_ && reader_.string(row.function).starts_with("cuLaunchKernelEx");
  }

  const std::shared_ptr<const OpAttribution>& attribution(const StackMeaning& stack,
                                                          const GpuRow& row,
                                                          const KernelEntry& kernel) {
    return stacks_.attribution(stacks_.attributed(stack, row.launch_time_ns()), kernel.types);
  }

  /// The meaning of the work by its graph's node; null: its launch determines it.
  const StackMeaning* enter_replay(const GpuRow& row, const StackMeaning& launch) {
    const StackMeaning* const replayed = replays_.enter(row, launch);
    held_.follow_replay(replays_.first_id());
    return replayed;
  }

  void explain(const GpuRow& row, const Explainer::Meanings& meant) {
    explainer_->take(row, meant, stacks_, replays_, compiled_);
  }

  void explain_finished(const HeldRow& held, std::uint64_t owner) {
    if (!explainer_->finishes(held, owner)) return;
    AttributionTally alone(reader_, stacks_, replays_, compiled_);
    alone.add(held);
    explainer_->finish(alone.counts());
  }

  void finish(HeldRow& held) {
    const bool has_owner = explainer_ != nullptr && held.instance != nullptr;
    const std::uint64_t owner = has_owner ? held.instance->op_id() : 0;
    const RepeatedSteps::Position& position = held.position;
    const bool is_repeat = position.role == RepeatedSteps::Role::kRepeat;
    if (!is_repeat || !repeats_.repeat(position, held.attribution)) held_.settle_first();
    if (position.role == RepeatedSteps::Role::kSource) repeats_.record(position, held.attribution);
    devices_.add_to(held.attribution, held.gpu);
    tally_.add(held);
    if (explainer_ != nullptr) explain_finished(held, owner);
  }

  void trim() {
    rows_since_trim_ = 0;
    if (stacks_.trim()) replays_.forget_contexts();
    kernels_.trim();
  }

  TraceReader& reader_;
  const bool is_of_python_;
  StackWalker stacks_;
  RepeatedSteps repeats_;
  ReplayTracker replays_;
  CompiledWork compiled_;
  KernelCatalog kernels_;
  DeviceFindings devices_;
  const bool skips_copies_;  // they are read and not returned
  std::unique_ptr<GpuCursor> work_;
  HeldRows held_;
  std::optional<GraphSizes> sizes_;  // of traces with whole graphs
  AttributionTally tally_;
  Explainer* const explainer_;  // null: no row is explained
  std::uint32_t rows_since_trim_ = 0;
  bool ended_ = false;
  bool first_is_returned_ = false;
};

}  // namespace

std::unique_ptr<AttributedWork> attribute_work(TraceReader& reader,
                                               const AttributorOptions& options) {
  return std::make_unique<Attributor>(reader, options);
}

}  // namespace prof
