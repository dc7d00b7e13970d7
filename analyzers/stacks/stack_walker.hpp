// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StackWalker: what a stack of ranges means for the work launched under it. Follows a range to its
// root, then enters the ranges from there; results are cached, so that each opening is read about
// once. A backward node's stack continues that of its forward op. Decides no facts: the rules do
// (analyzers/facts). All tables are bounded: trim() clears them when one is too large, and they
// fill again. Reads from the given reader. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/base/recent_map.hpp"
#include "analyzers/links/autograd.hpp"
#include "analyzers/links/call_batches.hpp"
#include "analyzers/links/optimizer_ops.hpp"
#include "analyzers/links/rerun_nodes.hpp"
#include "analyzers/ranges/range_texts.hpp"
#include "analyzers/stacks/contexts.hpp"
#include "analyzers/stacks/plain_paths.hpp"
#include "analyzers/stacks/process_layers.hpp"
#include "analyzers/stacks/stack_meaning.hpp"
#include "analyzers/stacks/stack_observer.hpp"
#include "analyzers/steps/step_ranges.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class StackWalker {
 public:
  /// Entries of each table, where memory is no concern.
  static constexpr std::size_t kUsualEntries = 1U << 16;

  /// `max_entries` bounds each table.
  StackWalker(TraceReader& reader, std::size_t max_entries, const RangeOptions& options = {});

  /// Reads the ranges opened up to that time; call before meaning() of work launched at that time.
  void advance(std::int64_t time_ns) { autograd_.advance(time_ns); }

  /// The meaning of the row's stack at its launch. Call for rows in launch order. Valid until the
  /// next call.
  const StackMeaning& at_launch(const GpuRow& row);

  /// The meaning of the stack whose innermost range is `stack`: one that is kept, or `made`. Valid
  /// until the next call.
  const StackMeaning& meaning(RangeId stack, StackMeaning& made);
  StackMeaning meaning(RangeId stack) {
    StackMeaning made;
    return meaning(stack, made);
  }

  /// Like meaning(), but reads all ranges again for `observer`.
  StackMeaning explain(RangeId stack, StackObserver& observer);

  /// The context of work that is launched there at that time; absent: unknown time.
  Context& attributed(const StackMeaning& stack, std::optional<std::int64_t> time_ns);

  /// The context of work of that call of compiled code, launched in the context `around`.
  Context& at_site(Context& around, std::uint32_t number,
                   const std::shared_ptr<const CompiledSite>& site) {
    return *contexts_.enter_site(&around, number, site);
  }

  /// The context of a kernel that is an op by its own name, launched in the context `around`.
  Context& in_kernel(Context& around, const OpRef& op, StringId name) {
    return *contexts_.enter_kernel(&around, op, name);
  }

  /// The context of a kernel of the program, launched in the context `around` of that stack: the
  /// program names ops by plain ranges, and this kernel is in none of them.
  Context& in_plain_kernel(const StackMeaning& stack, Context& around, std::string_view kernel,
                           StringId name);

  /// The attribution of work in that context by a kernel whose name suggests these types.
  const std::shared_ptr<const OpAttribution>& attribution(Context& context,
                                                          const KernelTypes& kernel) {
    return contexts_.attribution(context, kernel);
  }
  /// The attribution of a graph launched in that context and recorded as a whole.
  static const std::shared_ptr<const OpAttribution>& whole_graph(Context& context) {
    return Contexts::whole_graph(context);
  }

  /// Clears tables that are too large. True if contexts returned earlier became invalid.
  bool trim();

  [[nodiscard]] const LinkCounts& links() const { return autograd_.counts(); }
  [[nodiscard]] std::uint64_t batches_without_beginning() const {
    return batches_.without_beginning();
  }
  [[nodiscard]] const RangeTexts& texts() const { return texts_; }
  /// The result of reading ranges apart from the reader's own look-ups.
  [[nodiscard]] Status status() const { return plain_paths_ ? plain_paths_->status() : Status(); }
  [[nodiscard]] const StepRanges& steps() const { return steps_; }
  /// Also where the user does not ask for them.
  const ProcessLayers& process_layers();

 private:
  /// A range being entered onto a stack.
  struct Opening {
    const RangeRow& row;  // of the opening, if the range is an alias of one
    RangeId parent;       // on the current stack
    const ParsedText& text;
    StackMeaning& on;  // what it changes: at first the stack below
  };
  /// Data that a backward node takes from its forward op.
  struct Forward {
    Context* context = nullptr;  // null: it is not known
    std::uint64_t call_id = 0;
    std::optional<OpenStep> step{};
  };

  // Meanings are changed in place: to copy one just after a change waits for the change.

  /// As meaning(), without the op that a plain range names.
  const StackMeaning& walk(RangeId stack, StackMeaning& made);
  /// The role of the innermost plain range, if the work has the op that it may name.
  PlainRole plain_role(const StackMeaning& stack);
  /// The work's op is that which its innermost plain range names.
  void enter_plain_op(PlainRole role, StackMeaning& on);

  StackMeaning nothing() { return {contexts_.empty(), contexts_.empty()}; }
  /// The cached meaning of the stack of `at`, or null.
  [[nodiscard]] const StackMeaning* known(RangeId at);
  void remember(RangeId at, const StackMeaning& meaning);

  void enter(const RangeRow& range, StackMeaning& on);
  void resolve(const RangeRow& range, StackMeaning& on);

  // The effect of each meaning on a stack.
  static void enter(const Opening& opening, const NoMeaning&);
  void enter(const Opening& opening, const PlainName&);
  void enter(const Opening& opening, const LayerName&);
  static void enter(const Opening& /*opening*/, const StepNumber&) {}
  static void enter(const Opening& /*opening*/, const EngineIteration&) {}
  static void enter(const Opening& /*opening*/, const ModelCall&) {}
  static void enter(const Opening& /*opening*/, const Unmarked&) {}
  void enter(const Opening& opening, const SourceLine&);
  void enter(const Opening& opening, const CompiledCode&);
  void enter(const Opening& opening, const StatedOp&);
  void enter(const Opening& opening, const FrameworkOp&);
  void enter(const Opening& opening, const LibraryCall&);
  void enter(const Opening& opening, const OpAttributes&);
  void enter(const Opening& opening, const ModuleCall&);
  void enter(const Opening& opening, const BackwardNode&);
  void enter(const Opening& opening, const NodeEvaluation&);
  void enter(const Opening& opening, const OptimizerClosure&);
  void enter(const Opening& opening, const CompiledGraph&);
  void enter(const Opening& opening, const TracedProgram&);
  void enter(const Opening& opening, const TracedOp&);
  static void enter(const Opening& /*opening*/, const BatchBegin&) {}
  void enter(const Opening& opening, const BatchLaunch&);

  /// The range is on the stack of an optimizer and not its own.
  [[nodiscard]] bool leaves_optimizer(const Opening& opening);
  void leave_optimizer(StackMeaning& on);
  void enter_op(const Opening& opening);
  /// A forward op, called by a backward node to make again what was not kept.
  [[nodiscard]] bool is_rerun(const Opening& opening);
  void enter_name(const Opening& opening);
  void enter_around_ops(const Opening& opening);
  /// An op that owns its work, whatever is around it.
  void enter_own_op(const Opening& opening);
  void enter_library_call(const Opening& opening, const ParsedText& call);
  /// `row` is the node's own range; `opening` is that or the engine's range around it.
  void enter_node(const Opening& opening, const RangeRow& row, const ParsedText& text,
                  const BackwardNode& node);
  Forward forward_of(const RangeRow& node, const dialects::GraphTies& ties);
  /// Somebody hears of this stack: the work's own, or that of the forward op of a node on it. Those
  /// of further nodes are neither reported nor read again: there may be very many.
  [[nodiscard]] bool is_observed() const { return observer_ != nullptr && depth_ < 2; }

  /// Adds the facts that the opening's text states, if any.
  void descend(const Opening& opening);
  static void begin_op(const Opening& opening);
  static void begin_node(const Opening& opening, RangeId node);

  TraceReader& reader_;
  const std::size_t max_entries_;
  const RangeOptions options_;
  RangeTexts texts_;
  StepRanges steps_;
  CallBatches batches_;
  AutogradLinks autograd_;
  RerunNodes reruns_;
  OptimizerOps optimizer_ops_;
  Contexts contexts_;
  std::optional<ProcessLayers> process_layers_;  // once they are asked for
  std::optional<PlainPaths> plain_paths_;        // likewise

  RecentMap<StackMeaning> stacks_;   // by range id
  FlatMap<StackMeaning> landmarks_;  // by range id: some deep stacks, for those above them
  std::vector<RangeId> pending_;     // stacks being resolved
  int depth_ = 0;                    // of nested forward look-ups
  RangeId last_stack_ = 0;
  StackObserver* observer_ = nullptr;  // during explain()
  StackMeaning last_;                  // at_launch() of that stack; without a context: of none
};

}  // namespace prof
