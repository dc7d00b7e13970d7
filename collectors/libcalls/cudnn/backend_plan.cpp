// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/backend_plan.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "collectors/libcalls/cudnn/backend_attention.hpp"
#include "collectors/libcalls/cudnn/descriptors.hpp"
#include "collectors/libcalls/cudnn/operation_graph.hpp"

namespace prof::collectors {
namespace {

using enum Operation;

void state_list(CallFacts& facts, std::string_view key, const BackendNode& node, int attribute) {
  const BackendNode::Attribute* const found = node.find(attribute);
  if (found != nullptr && !found->numbers.empty() && found->numbers.size() <= 8)
    facts.fact(key, std::span<const std::int64_t>(found->numbers));
}

void state_type(CallFacts& facts, const BackendNode& node, int attribute) {
  const std::string_view word = word_of_cudnn_type(node.number(attribute, -1));
  if (!word.empty()) facts.fact("compute", word);
}

std::string_view word_of(const GraphOperation& operation) {
  return operation.is(kPointwise) ? pointwise_mode(operation.mode).word : operation.form->word;
}

class PlanWriter {
 public:
  PlanWriter(CallFacts& facts, const OperationGraph& graph) : facts_(facts), graph_(graph) {}

  void write() {
    const auto& all = graph_.operations;
    state_words("operations", [](int) { return true; });
    if (const auto attention = find_attention(graph_)) {
      return write_attention(facts_, graph_, *attention);
    }
    main_ =
        static_cast<int>(std::ranges::max_element(
                             all, {}, [](const GraphOperation& one) { return one.form->weight; }) -
                         all.begin());
    const Weight weight = main().form->weight;
    const auto as_heavy = std::ranges::count_if(
        all, [weight](const GraphOperation& one) { return one.form->weight == weight; });
    // With several products, or several normalizations, no single op describes the graph's
    // computation.
    if (weight >= Weight::kWindow && as_heavy > 1) return write_any("cudnn::graph");
    if (weight == Weight::kAttention) return write_attention_operation();
    if (all.size() == 1) return write_alone();
    if (main().form->fused[0] != '\0') return write_fused();
    if (weight >= Weight::kWindow) return write_by_mode();
    facts_.fact("steps", static_cast<std::int64_t>(all.size()));
    write_any("cudnn::pointwise");
  }

 private:
  [[nodiscard]] const GraphOperation& main() const {
    return graph_.operations[static_cast<std::size_t>(main_)];
  }

  template <typename Choose>
  void state_words(std::string_view key, Choose choose) {
    std::string words;
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      if (!choose(static_cast<int>(i))) continue;
      if (!words.empty()) words += ' ';
      words += word_of(graph_.operations[i]);
    }
    if (!words.empty()) facts_.fact(key, std::string_view(words));
  }

  void write_alone() {
    if (main().is(kPointwise)) return write_pointwise();
    if (main().is(kReduction)) {
      const BackendNode* const what = main().node->node(main().form->what);
      facts_.op(
          reduction_op(what == nullptr ? -1 : what->number(Attribute::kReductionOperator, -1)));
      if (what != nullptr) state_type(facts_, *what, Attribute::kReductionCompute);
      return write_operands();
    }
    if (main().form->op[0] == '\0') return write_by_mode();
    facts_.op(main().form->op);
    if (main().is(kGenStats)) facts_.fact("steps", std::int64_t{3});  // sum; square and add
    state_main();
    write_operands();
  }

  /// Writes a single attention operation. Facts that it leaves out come from other operations of
  /// the graph, if any.
  void write_attention_operation() {
    facts_.op(main().form->op);
    facts_.fact("layout", "bhsd");
    const bool is_ragged = std::ranges::any_of(main().inputs, [this](int input) {
      return input >= 0 &&
             graph_.tensors[static_cast<std::size_t>(input)].node->has(Attribute::kRaggedOffsets);
    });
    if (is_ragged) return facts_.fact("lengths", "ragged");
    write_operands();
  }

  void write_pointwise() {
    const PointwiseMode& mode = pointwise_mode(main().mode);
    if (mode.op[0] == '\0') {
      facts_.fact("steps", std::int64_t{1});
      return write_any("cudnn::pointwise");
    }
    facts_.op(mode.op);
    if (mode.mode == kModeGeluTanh) facts_.fact("approximate", "tanh");
    const BackendNode* const what = main().node->node(main().form->what);
    if (what != nullptr) state_type(facts_, *what, Attribute::kPointwiseCompute);
    for (const std::size_t at : {0U, 1U}) {
      if (main().input(at) >= 0) graph_.write(facts_, main().input(at));
    }
    graph_.write(facts_, main().output(0));
  }

  /// Writes an operation whose mode determines the op.
  void write_by_mode() {
    if (main().is(kNormForward) || main().is(kNormBackward)) return write_norm();
    if (main().is(kResampleForward) || main().is(kResampleBackward)) return write_resample();
    facts_.op(main().form->op);
    write_operands();
  }

  void write_norm() {
    const bool is_backward = main().is(kNormBackward);
    const NormMode& mode = norm_mode(
        main().node->number(is_backward ? Attribute::kNormBackwardMode : Attribute::kNormMode, -1));
    facts_.op(is_backward ? mode.backward : mode.forward);
    const bool is_training = main().node->number(Attribute::kNormPhase, 1) == 1;
    if (!is_backward) facts_.fact("mode", is_training ? "training" : "inference");
    if (is_backward || is_training) return write_operands();
    // The statistics are inputs.
    for (const std::size_t at : {0U, 1U, 2U}) write_input(main().input(at));
    for (const std::size_t at : {1U, 2U}) write_input(main().output(at));
    write_output(main().output(0));
  }

  void write_resample() {
    const bool is_backward = main().is(kResampleBackward);
    const BackendNode* const what = main().node->node(main().form->what);
    const std::int64_t mode = what == nullptr ? -1 : what->number(Attribute::kResampleMode, -1);
    const bool is_pooling = mode == 2 || mode == 3 || mode == 4;
    if (!is_pooling) {
      facts_.op(is_backward ? "cudnn::interpolate_backward" : "cudnn::interpolate");
      facts_.fact("mode", mode == 0 ? "nearest" : mode == 1 ? "bilinear" : "unknown");
      write_input(main().input(is_backward ? 1 : 0));
      return write_output(main().output(0));
    }
    const bool is_max = mode == 3;
    const bool is_volume = what->number(Attribute::kResampleRank, 2) == 3;
    const char* const forward = is_max ? (is_volume ? "cudnn::max_pool3d" : "cudnn::max_pool2d")
                                       : (is_volume ? "cudnn::avg_pool3d" : "cudnn::avg_pool2d");
    const char* const backward =
        is_max ? (is_volume ? "cudnn::max_pool3d_backward" : "cudnn::max_pool2d_backward")
               : (is_volume ? "cudnn::avg_pool3d_backward" : "cudnn::avg_pool2d_backward");
    facts_.op(is_backward ? backward : forward);
    state_list(facts_, "kernel_size", *what, Attribute::kResampleWindow);
    state_list(facts_, "stride", *what, Attribute::kResampleStride);
    state_list(facts_, "padding", *what, Attribute::kResamplePadding);
    if (is_backward) {
      for (const std::size_t at : {0U, 1U, 2U}) write_input(main().input(at));
      return write_output(main().output(0));
    }
    write_input(main().input(0));
    write_output(main().output(0));
  }

  /// Writes a product, and the operations that the same kernel performs before and after it.
  void write_fused() {
    const int result = main().output(0);
    facts_.op(main().form->fused);
    state_main();
    state_words("epilogue", [&](int at) {
      return at != main_ && graph_.operations[static_cast<std::size_t>(at)].is(kPointwise) &&
             graph_.is_after(at, result);
    });
    std::vector<int> used;
    const auto use = [&used](int tensor) {
      used.push_back(tensor);
      return tensor;
    };
    for (const int input : main().inputs) graph_.write(facts_, use(graph_.source_of(input)));
    std::vector<int> outputs;
    for (const int output : main().outputs) outputs.push_back(use(graph_.result_of(output)));
    const int bias = find_bias(used);
    used.push_back(bias);
    write_or_none(bias);
    write_others(true, 3, used);
    for (const int output : outputs) graph_.write(facts_, output);
    write_others(false, 2, used);
  }

  /// Finds a tensor of one row or channel that is added to the result; -1: none.
  [[nodiscard]] int find_bias(const std::vector<int>& used) const {
    const int result = main().output(0);
    if (result < 0) return -1;
    const auto& of_result = graph_.tensors[static_cast<std::size_t>(result)].sizes();
    const std::size_t along = main().is(kMatmul) ? of_result.size() - 1 : 1;
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      const GraphOperation& one = graph_.operations[i];
      if (!one.is(kPointwise) || one.mode != kModeAdd) continue;
      if (!graph_.is_after(static_cast<int>(i), result)) continue;
      for (const int tensor : {one.input(0), one.input(1)}) {
        if (tensor < 0 || std::ranges::find(used, tensor) != used.end()) continue;
        const GraphTensor& known = graph_.tensors[static_cast<std::size_t>(tensor)];
        if (known.made_by >= 0 || known.is_scalar) continue;
        const auto& sizes = known.sizes();
        bool is_bias = sizes.size() == of_result.size();
        for (std::size_t at = 0; is_bias && at < sizes.size(); ++at) {
          is_bias = sizes[at] == (at == along ? of_result[at] : 1);
        }
        if (is_bias) return tensor;
      }
    }
    return -1;
  }

  void write_others(bool are_inputs, int places, const std::vector<int>& used) {
    for (std::size_t i = 0; i < graph_.tensors.size() && places > 0; ++i) {
      const int tensor = static_cast<int>(i);
      const bool is_input = graph_.tensors[i].made_by < 0;
      if (is_input != are_inputs || !graph_.is_in_memory(tensor)) continue;
      if (std::ranges::find(used, tensor) != used.end()) continue;
      graph_.write(facts_, tensor);
      --places;
    }
    for (; places > 0; --places) facts_.none();
  }

  /// Writes all tensors in memory: up to six in, up to three out.
  void write_any(const char* op) {
    facts_.op(op);
    write_others(true, 6, {});
    write_others(false, 3, {});
  }

  void state_main() {
    if (main().form->part != nullptr) facts_.fact("part", main().form->part);
    if (main().form->beta != 0 && main().node->number(main().form->beta, 0) != 0) {
      facts_.fact("accumulates", std::int64_t{1});
    }
    const BackendNode* const what =
        main().form->what == 0 ? nullptr : main().node->node(main().form->what);
    if (what == nullptr) return;
    if (main().is(kMatmul)) return state_type(facts_, *what, Attribute::kMatmulCompute);
    state_list(facts_, "padding", *what, Attribute::kConvolutionPadding);
    state_list(facts_, "post_padding", *what, Attribute::kConvolutionPostPadding);
    state_list(facts_, "stride", *what, Attribute::kConvolutionStride);
    state_list(facts_, "dilation", *what, Attribute::kConvolutionDilation);
    state_type(facts_, *what, Attribute::kConvolutionCompute);
    if (what->number(Attribute::kConvolutionMode, 1) == 0) facts_.fact("filter", "flipped");
  }

  void write_operands() {
    // The inputs of a concatenation are one list.
    if (main().is(kConcat)) {
      const auto count = static_cast<std::uint32_t>(main().inputs.size());
      facts_.list(count, [&](std::uint32_t i) { graph_.write(facts_, main().inputs[i]); });
    } else {
      for (const int input : main().inputs) write_input(input);
    }
    for (const int output : main().outputs) write_output(output);
  }

  void write_input(int tensor) { write_or_none(tensor < 0 ? tensor : graph_.source_of(tensor)); }
  void write_output(int tensor) { write_or_none(tensor < 0 ? tensor : graph_.result_of(tensor)); }
  void write_or_none(int tensor) {
    if (tensor < 0) return facts_.none();
    graph_.write(facts_, tensor);
  }

  CallFacts& facts_;
  const OperationGraph& graph_;
  int main_ = 0;
};

}  // namespace

BackendPlan plan_of(const BackendNode& plan) {
  std::array<std::byte, 3072> room;
  CallFacts facts(room);
  facts.op("cudnn::graph");
  const BackendNode::Link described = graph_of_plan(plan);
  OperationGraph graph;
  if (described != nullptr && graph.read(*described)) {
    if (const std::int64_t engine = engine_of_plan(plan); engine >= 0) facts.fact("engine", engine);
    PlanWriter(facts, graph).write();
  } else {
    facts.fact("plan", plan.has(Attribute::kPlanJson) ? "restored from JSON" : "unknown");
  }
  return {facts.op(), {facts.bytes().begin(), facts.bytes().end()}};
}

}  // namespace prof::collectors
