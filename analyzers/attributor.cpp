// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attributor.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/base/replay_ids.hpp"
#include "analyzers/checks/contradictions.hpp"
#include "analyzers/cost/l2_reuse.hpp"
#include "analyzers/graphs/body_launches.hpp"
#include "analyzers/graphs/graph_nodes.hpp"
#include "analyzers/graphs/graph_sizes.hpp"
#include "analyzers/graphs/launched_work.hpp"
#include "analyzers/held_rows.hpp"
#include "analyzers/kernels/element_traits.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

// How far the launch order may differ from the order of launch times across threads.
constexpr std::int64_t kOrderSlackNs = 1'000'000;
constexpr std::uint32_t kRowsBetweenTrims = 64;
constexpr std::size_t kMaxUnknownOps = 256;
// A product and the reduction after it, with copies or rows of other threads between them.
constexpr std::size_t kRowsBeforeReduction = 8;

struct KernelEntry {
  std::shared_ptr<const KernelFacts> facts;
  KernelTypes types;
  KernelClaims claims;
  std::int64_t threads = 0;  // of the launch: grid x block
  std::int64_t blocks = 0;   // of the launch
};

/// A damaged trace may hold any number: stay far below where sums of weights could overflow.
std::int64_t bounded(double count) { return static_cast<std::int64_t>(std::min(count, 1e15)); }

KernelTypes types_of(const KernelFacts& kernel) {
  KernelTypes types = kernel.operand_dtype;
  types.elements = kernel.elements;
  types.converts = kernels::converts_operands(kernel.demangled);
  // The result of a product may be a workspace that a reduction converts.
  if (!kernel.is_product && kernel.output_dtype != kernel.operand_dtype) {
    types.result = kernel.output_dtype;
  }
  if (kernel.elements.copies) types.result = kernel.elements.copied_to;
  return types;
}

/// "linear M=8,N=32,K=4: ampere_sgemm_128x64_tn"
std::string example(const OpAttribution& op, const KernelFacts& kernel) {
  constexpr std::size_t kMaxName = 120;
  std::string text = op.op;
  if (!op.params.empty()) text += ' ' + op.params;
  return text + ": " + kernel.short_name.substr(0, kMaxName);
}

}  // namespace

class AttributedCursor::Impl {
 public:
  Impl(TraceReader& reader, const AttributorOptions& options)
      : reader_(reader),
        options_(options),
        stacks_(reader, std::max<std::uint32_t>(options.max_cache_entries, 64), options.range_options),
        repeats_(reader, stacks_.steps(), options.max_cache_entries),
        nodes_(reader, stacks_),
        replay_ids_(options.max_cache_entries),
        skips_copies_(nodes_.any() && options.work == TraceReader::Work::kKernels),
        work_(launched_work(reader,
                            skips_copies_ ? TraceReader::Work::kKernelsAndCopies : options.work)) {
    for (const DeviceRow& device : reader.devices()) {
      const auto [known, is_new] = limits_.try_emplace(device.device, device);
      reuse_.try_emplace(device.device, known->second);
    }
  }

  const AttributedRow* next() {
    if (front_returned_) {
      held_.pop();
      front_returned_ = false;
    }
    while (!ready()) {
      if (ended_ || held_.size() >= std::max<std::size_t>(options_.max_held_rows, 1)) {
        if (held_.empty()) return nullptr;
        held_.front().instance->set_complete();
      } else if (const GpuRow* row = work_->next()) {
        take(*row);
      } else {
        ended_ = true;
      }
    }
    emit();
    return &result_;
  }

  /// Errors of the rows first, then of what they refer to.
  [[nodiscard]] Status status() const {
    PROF_TRY(work_->status());
    PROF_TRY(nodes_.status());
    PROF_TRY(repeats_.status());
    if (sizes_) PROF_TRY(sizes_->status());
    return reader_.status();
  }

  [[nodiscard]] const AttributionCounts& counts() {
    counts_.links = stacks_.links();
    counts_.unknown_nodes = nodes_.unknown();
    counts_.batches_without_beginning = stacks_.batches_without_beginning();
    counts_.malformed_op_texts = stacks_.texts().malformed_texts();
    counts_.first_malformed_text = stacks_.texts().first_malformed_text();
    counts_.first_malformed_why = stacks_.texts().first_malformed_why();
    return counts_;
  }

 private:
  [[nodiscard]] bool ready() {
    if (held_.empty()) return false;
    const OpInstance* instance = held_.front().instance;
    return instance == nullptr || instance->complete();
  }

  void take(const GpuRow& row) {
    if (++rows_since_trim_ >= kRowsBetweenTrims) trim();
    // An op that ended long ago is complete, even if its thread never launches again.
    if (!held_.empty() && row.launched && row.launch_start_ns > 0) {
      OpInstance* oldest = held_.front().instance;
      if (oldest != nullptr &&
          oldest->end_ns() < difference_of_times(row.launch_start_ns, kOrderSlackNs)) {
        oldest->set_complete();
      }
    }

    const KernelEntry& kernel =
        row.kind == GpuRow::Kind::kKernel ? kernel_of(row.config) : no_kernel_;
    // Without a launch of its own, that of where it stands (launched_work.hpp).
    if (row.launched || is_body_work(row)) nodes_.advance(row.launch_start_ns);
    const StackMeaning& launch = meaning_of(row);
    if (skips_copies_ && row.kind != GpuRow::Kind::kKernel) {
      enter_replay(row, launch);  // the ids of a replay's ops count copies, too
      return;
    }
    if (launch.broken) ++counts_.broken_stacks;
    if (launch.depth > StackMeaning::kMaxDepth) ++counts_.deep_stacks;
    if (is_whole_graph(row, kernel)) return take_whole_graph(row, kernel, launch);
    const bool is_replayed = enter_replay(row, launch);
    const StackMeaning& meaning = is_replayed ? replayed_ : launch;
    HeldRow& held = held_.push();
    held.row = row;
    const auto launch_ns = launch_time_of(row);
    held.op = stacks_.attribution(stacks_.attributed(meaning, launch_ns), kernel.types);
    held.unread = meaning.unread;
    held.launch = nullptr;
    if (is_replayed) {
      held.launch = stacks_.attribution(stacks_.attributed(launch, launch_ns), kernel.types);
      if (row.kind == GpuRow::Kind::kKernel) ++counts_.replayed;
    }
    held.kernel = kernel.facts;
    held.step = meaning.step;
    held.step_end_ns = meaning.step_end_ns;
    held.in_step = meaning.in_step;
    held.role = role_of(row, kernel, *held.op);
    held.weight =
        row.kind == GpuRow::Kind::kKernel ? kernel.threads : static_cast<std::int64_t>(row.bytes);
    held.op_id = meaning.op_id;
    held.replay_id = is_replayed && row.launched ? replay_ids_.first() : 0;
    held.call_id = meaning.call_id;
    held.seq = meaning.seq;
    held.instance = nullptr;
    held.late = false;
    held.is_whole_graph = false;
    held.graph_nodes.reset();
    held.claims = kernel.claims;
    held.sub = 0;
    held.position = repeats_.position_of(row);
    if (!row.launched) return;
    find_step(held);
    if (held.position.role == RepeatedSteps::Role::kRepeat) {
      instances_.leave(row.thread);
      return;
    }
    const OpsOnStack& op = meaning.attributed->facts.op;
    const CostSource source = source_of(held.role, op);
    held.instance =
        is_replayed
            ? instances_.enter_replay(meaning, held.op->cost, source, op.prepares)
            : instances_.enter(row.thread, meaning, stacks_, held.op->cost, source, op.prepares);
    if (held.instance == nullptr) return;
    if (held.op->gradients != nullptr) held.instance->set_gradients(held.op->gradients);
    learn_from_kernel(held);
    held.late = !held.instance->add(held.role, held.weight, held.kernel.get());
    if (held.role != WorkRole::kCopy && !held.late) {
      held.instance->claims().add(*held.kernel, kernel.claims, kernel.blocks);
    }
    const bool is_kernel = row.kind == GpuRow::Kind::kKernel;
    held.sub = is_replayed ? instances_.index_in_replay(meaning, is_kernel)
                           : instances_.index(row.thread, meaning, *held.instance, is_kernel);
  }

  /// A launch of a graph without its kernels. No blocks: no kernel has been told.
  static bool is_whole_graph(const GpuRow& row, const KernelEntry& kernel) {
    return row.kind == GpuRow::Kind::kKernel && row.graph != 0 && row.graph_node == 0 &&
           kernel.blocks == 0;
  }

  /// It belongs to no instance of an op, so that it has no share in any cost.
  void take_whole_graph(const GpuRow& row, const KernelEntry& kernel, const StackMeaning& launch) {
    if (!sizes_) sizes_.emplace(reader_);
    HeldRow& held = held_.push();
    held = {};
    held.row = row;
    held.op = StackWalker::whole_graph(stacks_.attributed(launch, launch_time_of(row)));
    held.unread = launch.unread;
    held.kernel = kernel.facts;
    held.is_whole_graph = true;
    held.graph_nodes = sizes_->of(row.graph);
    held.step = launch.step;
    held.step_end_ns = launch.step_end_ns;
    held.in_step = launch.in_step;
    if (row.launched) find_step(held);
  }

  /// The step open at the launch, on whatever thread, if the thread's ranges have none.
  void find_step(HeldRow& held) const {
    if (held.in_step) return;
    const StepRanges& steps = stacks_.steps();
    const auto index = steps.index_at(held.row.launch_start_ns);
    held.in_step = index.has_value();
    held.step = index ? steps.number(*index) : 0;
    held.step_end_ns = index ? steps.end_ns(*index) : INT64_MAX;
  }

  /// A product's layout tells which of two gradients it computes. The reduction after a product
  /// tells that it was split, and computes the same gradient.
  void learn_from_kernel(HeldRow& held) {
    if (held.kernel == nullptr) return;
    const auto compute = [](HeldRow& row, Part part) {
      if (row.op->either != nullptr && part != Part::kNone) row.op = row.op->either->at(part);
    };
    if (held.kernel->is_product) compute(held, gradient_of_linear(*held.kernel));
    if (!held.kernel->family.ends_with("/splitk_reduce")) return;
    const std::size_t rows = std::min(held_.size(), kRowsBeforeReduction);
    for (std::size_t i = 1; i < rows; ++i) {
      HeldRow& before = held_.newest(i);
      if (before.instance != held.instance || before.kernel == nullptr) continue;
      if (!before.kernel->is_product) continue;
      if (!before.kernel->split_k) before.kernel = split(before.kernel);
      compute(held, before.op->part);
      return;
    }
  }

  /// The same kernel, of a product that was split.
  std::shared_ptr<const KernelFacts> split(const std::shared_ptr<const KernelFacts>& kernel) {
    auto& made = split_kernels_[kernel];
    if (made == nullptr) {
      auto facts = std::make_shared<KernelFacts>(*kernel);
      facts->split_k = true;
      made = std::move(facts);
    }
    return made;
  }

  static WorkRole role_of(const GpuRow& row, const KernelEntry& kernel, const OpAttribution& op) {
    if (row.kind != GpuRow::Kind::kKernel) return WorkRole::kCopy;
    // A bias copied into the result before the product is added to it.
    const bool prepares =
        op.claims.adds_products && kernel.claims.work == KernelClaims::Work::kCopy;
    const bool is_step_of_op = kernel.facts->is_ordering && op.ordering_prepares;
    if (kernel.facts->is_helper || prepares || is_step_of_op) return WorkRole::kHelper;
    return kernel.facts->is_product && op.is_product ? WorkRole::kProduct : WorkRole::kMain;
  }

  static CostSource source_of(WorkRole role, const OpsOnStack& op) {
    if (role == WorkRole::kCopy) return CostSource::kCopy;
    if (role == WorkRole::kHelper) return CostSource::kHelper;
    return op.inner == op.owner ? CostSource::kOwner : CostSource::kInner;
  }

  /// Call before the row's instance is released.
  static Contradictions contradictions_of(const HeldRow& held, const OpAttribution& op,
                                          const KernelFacts* kernel) {
    if (held.role == WorkRole::kCopy || held.instance == nullptr) return {};
    Contradictions found = contradictions(op, *kernel, held.claims);
    if (!held.late) found |= held.instance->claims().contradictions(op, held.claims, *kernel);
    return found;
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

  /// True if the row's work is known by its graph's node, and sets replayed_ to what it means.
  bool enter_replay(const GpuRow& row, const StackMeaning& launch) {
    const Correlation replay = row.graph_node != 0 ? row.launch : 0;
    const bool is_anywhere = row.graph_node != 0 && !row.launched;  // in no replay that is known
    if (replay != replay_ && !is_anywhere) {
      replay_ = replay;
      replay_ids_.begin_replay();
      instances_.begin_replay(replay_ids_.first());
    }
    if (row.graph_node == 0) return false;
    const NodeMeaning* const node = nodes_.find(row);
    if (node == nullptr) return false;
    replayed_ = node->stack;
    replayed_.step = launch.step;
    replayed_.step_end_ns = launch.step_end_ns;
    replayed_.in_step = launch.in_step;
    replayed_.owner_end_ns = INT64_MAX;  // that of the capture is past
    if (!row.launched) return true;
    for (std::uint64_t* const id : replayed_.op_ids()) {
      if (*id != 0) *id = replay_ids_.of(*id);
    }
    return true;
  }

  const KernelEntry& kernel_of(ConfigId config) {
    const std::uint64_t key = std::uint64_t{config.value} + 1;
    if (const KernelEntry* known = configs_.find(key)) return *known;
    const LaunchConfig& launch = reader_.config(config);
    const StringId name = launch.name;
    auto [it, is_new] = names_.try_emplace(name.value);
    if (is_new) {
      auto facts = std::make_shared<const KernelFacts>(kernels::facts(reader_.string(name)));
      it->second = {facts, types_of(*facts), kernel_claims(*facts)};
    }
    KernelEntry entry = it->second;
    entry.blocks = bounded(volume(launch.grid));
    entry.threads = bounded(volume(launch.grid) * volume(launch.block));
    return *configs_.insert(key, std::move(entry));
  }

  const devices::DeviceLimits& limits_of(std::uint32_t device) const {
    const auto found = limits_.find(device);
    return found == limits_.end() ? no_limits_ : found->second;
  }

  /// Of the row whose attribution has just been made.
  double l2_bytes_of(const GpuRow& row) {
    const auto device = reuse_.find(row.device);
    if (device == reuse_.end() || row.kind != GpuRow::Kind::kKernel) return 0;
    return device->second.take(attribution_, row.stream, row.duration_ns);
  }

  void trim() {
    rows_since_trim_ = 0;
    if (stacks_.trim()) {
      last_ = {};
      nodes_.forget_contexts();
    }
    if (configs_.size() > options_.max_cache_entries) configs_.clear();
    if (names_.size() > options_.max_cache_entries) {
      names_.clear();
      split_kernels_.clear();
    }
  }

  void emit() {
    HeldRow& held = held_.front();
    Attribution& to = attribution_;
    to.op = std::move(held.op);
    to.kernel = std::move(held.kernel);
    to.launch = std::move(held.launch);
    to.replay_id = held.replay_id;
    to.is_whole_graph = held.is_whole_graph;
    to.graph_nodes = held.graph_nodes;
    to.step = held.in_step ? std::optional(held.step) : std::nullopt;
    to.step_end_ns = held.in_step && held.step_end_ns != INT64_MAX ? std::optional(held.step_end_ns)
                                                                   : std::nullopt;
    to.is_repeat = held.position.role == RepeatedSteps::Role::kRepeat;
    if (to.is_repeat && repeat(held)) {
      // Its cost is known.
    } else if (held.instance != nullptr) {
      const CostShare share = held.instance->take_share(held.role, held.weight, held.late);
      if (share.part != Part::kNone && to.op->gradients != nullptr) {
        to.op = to.op->gradients->at(share.part);
      }
      to.contradictions = contradictions_of(held, *to.op, to.kernel.get());
      to.basis = share.is_estimated ? Basis::kEstimated : to.op->cost.basis;
      to.op_id = held.op_id;
      to.call_id = held.call_id;
      to.main = share.main;
      to.share = share.share;
      to.cost = share.cost;
      to.is_transformed = held.instance->claims().is_transformed();
      instances_.release(held.instance);
    } else {
      to.op_id = to.call_id = 0;
      to.main = held.role != WorkRole::kHelper;
      to.share = 0;
      to.cost = {};
      to.basis = Basis::kUnknown;
      to.contradictions = {};
      to.is_transformed = false;
    }
    to.contradictions |=
        device_contradictions(to, held.row.duration_ns, limits_of(held.row.device));
    to.l2_bytes = l2_bytes_of(held.row);
    if (!to.is_repeat) {
      to.seq = held.seq.count > 0 ? std::optional(held.seq.numbers[0]) : std::nullopt;
      to.altseq.assign(held.seq.numbers.begin() + (held.seq.count > 0 ? 1 : 0),
                       held.seq.numbers.begin() + held.seq.count);
      to.sub = held.sub;
    }
    if (held.position.role == RepeatedSteps::Role::kSource) repeats_.record(held.position, to);
    count(held);
    result_ = {&held.row, &attribution_};
    front_returned_ = true;
  }

  /// What the work that the row repeats means. False: that is not known.
  bool repeat(const HeldRow& held) {
    const Attribution* const known = repeats_.take(held.position);
    if (known == nullptr) {
      attribution_.is_repeat = false;
      return false;
    }
    const std::optional<std::int64_t> step = attribution_.step;
    const std::optional<std::int64_t> step_end_ns = attribution_.step_end_ns;
    attribution_ = *known;
    attribution_.step = step;
    attribution_.step_end_ns = step_end_ns;
    attribution_.is_repeat = true;
    attribution_.contradictions &= ~device_contradiction_kinds();
    return true;
  }

  void count(const HeldRow& held) {
    if (held.late) ++counts_.late;
    if (held.row.kind != GpuRow::Kind::kKernel) {
      ++counts_.copies;
      return;
    }
    ++counts_.kernels;
    if (attribution_.is_repeat) ++counts_.repeated;
    if (held.position.role == RepeatedSteps::Role::kUnmarked) ++counts_.unmarked;
    const OpAttribution& op = *attribution_.op;
    if (attribution_.contradictions.any()) count_contradictions();
    if (!held.row.launched && !is_launched_by_kernel(held)) ++counts_.without_launch;
    if (held.row.starts_before_launch()) ++counts_.before_launch;
    if (op.layer.empty()) count_without_layer(held);
    if (op.op.empty() && !held.is_whole_graph) ++counts_.without_op;
    if (op.direction == Direction::kNone && !held.is_whole_graph) ++counts_.without_direction;
    const bool unknown_op = !op.op.empty() && !op.known_op;
    if (unknown_op) {
      ++counts_.of_unknown_op;
      count_unknown(op.op);
    }
    if (is_unattributed(attribution_)) {
      ++counts_.unattributed;
      if (held.in_step) ++counts_.unattributed_in_steps;
    }
  }

  /// A graph that has no call which launched it.
  static std::optional<std::int64_t> launch_time_of(const GpuRow& row) {
    return row.launched ? std::optional(row.launch_start_ns) : std::nullopt;
  }

  void count_without_layer(const HeldRow& held) {
    ++counts_.without_layer;
    if (held.unread != kDefaultDomain) {
      ++counts_.in_unread_domains[std::string(reader_.domain_name(held.unread))];
    } else if (held.row.launched && stacks_.process_layers().at(held.row.launch_start_ns) != 0) {
      ++counts_.in_process_ranges;
    }
  }

  static bool is_launched_by_kernel(const HeldRow& held) {
    return held.is_whole_graph && held.row.origin == Origin::kDevice;
  }

  void count_contradictions() {
    for (std::size_t kind = 0; kind < kContradictions; ++kind) {
      if (!attribution_.contradictions.test(kind)) continue;
      ContradictionCount& seen = counts_.contradictions[kind];
      if (seen.kernels++ == 0) seen.first = example(*attribution_.op, *attribution_.kernel);
    }
  }

  void count_unknown(const std::string& op) {
    const auto it = counts_.unknown_ops.find(op);
    if (it != counts_.unknown_ops.end()) {
      ++it->second;
    } else if (counts_.unknown_ops.size() < kMaxUnknownOps) {
      counts_.unknown_ops.emplace(op, 1);
    }
  }

  TraceReader& reader_;
  const AttributorOptions options_;
  StackWalker stacks_;
  RepeatedSteps repeats_;
  GraphNodes nodes_;
  std::optional<GraphSizes> sizes_;  // of traces with whole graphs
  ReplayIds replay_ids_;
  Correlation replay_ = 0;  // whose ids and instances are open
  StackMeaning replayed_;
  const bool skips_copies_;  // they are read and not returned
  OpInstances instances_;
  std::unique_ptr<GpuCursor> work_;
  HeldRows held_;

  FlatMap<KernelEntry> configs_;                          // by config id + 1
  std::unordered_map<std::uint32_t, KernelEntry> names_;  // by the name's string id
  std::unordered_map<std::shared_ptr<const KernelFacts>, std::shared_ptr<const KernelFacts>>
      split_kernels_;
  const KernelEntry no_kernel_;                                      // of copies
  std::unordered_map<std::uint32_t, devices::DeviceLimits> limits_;  // by CUDA device number
  const devices::DeviceLimits no_limits_;                            // of an unknown device
  std::unordered_map<std::uint32_t, L2Reuse> reuse_;                 // by CUDA device number
  RangeId last_stack_ = 0;
  StackMeaning last_;
  std::uint32_t rows_since_trim_ = 0;
  bool ended_ = false;
  bool front_returned_ = false;

  Attribution attribution_;
  AttributedRow result_;
  AttributionCounts counts_;
};

AttributedCursor::AttributedCursor(TraceReader& reader, const AttributorOptions& options)
    : impl_(std::make_unique<Impl>(reader, options)) {}

AttributedCursor::~AttributedCursor() = default;

const AttributedRow* AttributedCursor::next() { return impl_->next(); }

Status AttributedCursor::status() const { return impl_->status(); }

const AttributionCounts& AttributedCursor::counts() const { return impl_->counts(); }

}  // namespace prof
