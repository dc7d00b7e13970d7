// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ContextCache: what a stack of ranges means for the work launched under it. Each opening of a
// range is looked up once; openings with equal texts on equal stacks share one context, and a
// context makes its OpAttribution once. A backward node's stack stands on that of its forward op.
// Steps and numbers are kept out of contexts, so that a thousand steps have the contexts of one.
// All tables are bounded: trim() empties them when one is too large, and they fill again. Reads
// ranges from the reader that it is given; owned by one cursor, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/attribution.hpp"
#include "analyzers/call_batches.hpp"
#include "analyzers/flat_map.hpp"
#include "analyzers/forward_index.hpp"
#include "analyzers/ops/registry.hpp"
#include "analyzers/range_texts.hpp"
#include "analyzers/recent_map.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

/// A distinct stack of meanings, without steps and numbers.
class Context {
 public:
  /// The op that owns the work launched under this stack, null: none.
  [[nodiscard]] const OpDesc* op() const { return facts_.op.get(); }

 private:
  friend class ContextCache;

  static constexpr std::size_t kDTypes = static_cast<std::size_t>(DType::kFloat4E2M1) + 1;

  /// What a stack has from the one below it, unless its own range changes it.
  struct Facts {
    std::string layer_path;                         // of `layer:` ranges
    std::size_t layer_name_at = 0;                  // where the innermost name begins in it
    std::string plain_path;                         // of plain ranges
    std::string trace;                              // where in the source the op is called
    std::string inherited_layer;                    // the forward op's, in a backward node
    Provenance inherited_from = Provenance::kNone;  // where the forward op had it from

    std::shared_ptr<const OpDesc> op;       // as reported
    std::shared_ptr<const OpDesc> inner;    // the innermost
    std::shared_ptr<const OpDesc> owner;    // whose cost it is
    std::shared_ptr<const OpDesc> forward;  // in a backward node: the forward op
    std::shared_ptr<const OpDesc> attrs;    // what the program says of ops of those words
    std::shared_ptr<const OpDesc> library;  // what a library was called for, in the op
    bool op_known = false;                  // a model knows op
    bool owner_counted = false;             // a model could tell owner's cost or matrix product
    bool nested = false;                    // op is a framework's: ops inside it belong to it
    bool backward = false;                  // in a backward node
    bool linked = false;                    // whose forward op is known
    bool recomputes = false;                // in which forward ops run again, as ops of their own
    Direction direction = Direction::kNone;
    Provenance direction_from = Provenance::kNone;
  };

  std::uint32_t id_ = 0;
  Facts facts_;
  /// By the kernel's dtype, which matters only where no op states one.
  std::array<std::shared_ptr<const OpAttribution>, kDTypes> attributions_;
};

/// The sequence numbers on a stack, the op's own first.
struct SequenceNumbers {
  static constexpr std::size_t kMax = 4;
  std::array<std::uint64_t, kMax> numbers{};
  std::uint32_t count = 0;

  void add(std::uint64_t number);
};

/// What one opening of a range means for work launched right under it.
struct StackMeaning {
  Context* context = nullptr;     ///< The whole stack.
  Context* attributed = nullptr;  ///< What work is attributed to.
  std::uint64_t op_id = 0;        ///< The range of the op as reported, 0: none.
  std::uint64_t owner_id = 0;     ///< The range of the op that owns the cost, 0: none.
  RangeId around_owner = 0;       ///< The range around that; leads to the next owner outwards.
  std::int64_t owner_end_ns = INT64_MAX;
  RangeId node = 0;     ///< The innermost backward node.
  bool nested = false;  ///< The op is a framework's: it may hold several owners.
  std::int64_t step = 0;
  bool in_step = false;
  bool broken = false;      ///< The stack leads to a range that the trace lacks, or in circles.
  std::uint32_t depth = 0;  ///< Ranges on the stack; those above kMaxDepth mean nothing.
  SequenceNumbers seq{};

  /// Deeper stacks come from damaged files, and each range may cost as much as all below it.
  static constexpr std::uint32_t kMaxDepth = 1024;
};

class ContextCache {
 public:
  /// `max_entries` bounds each table.
  ContextCache(TraceReader& reader, std::size_t max_entries, std::vector<std::string> domains = {});

  /// Makes known what was opened up to then: before meaning() of what was launched at that time.
  void advance(std::int64_t time_ns) { forwards_.advance(time_ns); }

  /// What the stack whose innermost range is `stack` means. By value: tables may move.
  StackMeaning meaning(RangeId stack);

  /// The attribution of work with that context by a kernel whose name suggests `kernel_dtype`.
  const std::shared_ptr<const OpAttribution>& attribution(Context& context, DType kernel_dtype);

  /// Empties the tables that are too large. True if contexts that were given out became invalid.
  bool trim();

  [[nodiscard]] const LinkCounts& links() const { return links_; }
  [[nodiscard]] std::uint64_t batches_without_beginning() const {
    return batches_.without_beginning();
  }
  [[nodiscard]] const RangeTexts& texts() const { return texts_; }

 private:
  StackMeaning nothing() { return {&contexts_.front(), &contexts_.front()}; }
  StackMeaning resolve(const RangeRow& range, const StackMeaning& below);
  /// Where on the way down the stack of `at` is known, if it is.
  [[nodiscard]] const StackMeaning* known(RangeId at);
  void remember(RangeId at, const StackMeaning& meaning);
  StackMeaning enter(const RangeRow& range, const StackMeaning& below);
  StackMeaning enter_native_op(const RangeRow& opening, RangeId parent, const StackMeaning& below);
  StackMeaning enter_library_op(const RangeRow& opening, const ParsedText& parsed, RangeId parent,
                                const StackMeaning& below);
  StackMeaning enter_nested_op(const RangeRow& opening, RangeId parent, const StackMeaning& below);
  StackMeaning enter_node(RangeId node, RangeId opening, const StackMeaning& below);
  /// The forward op's stack of a node, or nullopt.
  std::optional<StackMeaning> forward_of(const RangeRow& node, const dialects::RangeMeaning& text);
  /// The range of the forward op by the node's number, of the thread that its graph is of.
  ForwardIndex::Found forward_range(const RangeRow& node, const dialects::RangeMeaning& text,
                                    std::uint64_t seq);
  /// The thread that made the node's graph, as what made its input tells: its forward op is of that
  /// thread too.
  std::optional<std::uint32_t> graph_thread(const RangeRow& node,
                                            const dialects::RangeMeaning& text);
  void add_number(const RangeRow& range, const dialects::RangeMeaning& text, StackMeaning& to);

  enum class Base : std::uint8_t { kBelow, kForward };
  Context* child(Context* around, const ParsedText& parsed, Base base = Base::kBelow);
  void nest(Context::Facts& facts, const dialects::RangeMeaning& meaning) const;
  /// The op with the attributes that a range around it says such ops have.
  [[nodiscard]] std::shared_ptr<const OpDesc> with_attrs(const std::shared_ptr<const OpDesc>& op,
                                                         const Context::Facts& around) const;
  void call_library(Context::Facts& facts, const dialects::RangeMeaning& meaning) const;
  static void leave_backward(Context::Facts& facts);
  [[nodiscard]] Context::Facts backward(const Context::Facts& from,
                                        const dialects::RangeMeaning& meaning, Base base) const;
  [[nodiscard]] const ops::OpModel* model_of(const OpDesc& op) const;
  [[nodiscard]] bool can_count(const OpDesc& op) const;
  [[nodiscard]] std::shared_ptr<const OpAttribution> make(const Context::Facts& facts,
                                                          DType kernel_dtype) const;
  void describe(const Context::Facts& facts, DType kernel_dtype, OpAttribution& made) const;
  void start_empty();

  TraceReader& reader_;
  const std::size_t max_entries_;
  RangeTexts texts_;
  CallBatches batches_;
  ForwardIndex forwards_;
  ops::Registry ops_;

  RecentMap<StackMeaning> stacks_;   // by range id
  FlatMap<StackMeaning> landmarks_;  // likewise: some of the deep stacks, for those above them
  std::vector<RangeId> pending_;     // stacks that are being found out
  FlatMap<Context*> children_;       // by (context, text) ids
  std::deque<Context> contexts_;     // addresses stay; [0] is the empty stack
  int depth_ = 0;                    // of forward ops that are looked up for others
  int graph_depth_ = 0;              // of nodes whose thread is looked up for others

  LinkCounts links_;
  std::vector<RangeId> counted_nodes_;  // by the low bits of their ids
  struct NodeThread {
    RangeId node = 0;
    std::uint32_t thread = 0;  // of its forward op
  };
  std::vector<NodeThread> node_threads_;  // likewise
};

}  // namespace prof
