// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and their gradients with respect to the prediction. A backward op with `fused_forward`
// computes the loss in the same kernel.
#include <algorithm>
#include <iterator>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct LossCounting {
  std::string_view word;
  double forward, backward;            ///< FLOPs for each element of the prediction.
  double forward_rows, backward_rows;  ///< FLOPs for each of its rows.
  bool scaled = true;                  ///< The reduction's factor adds one FLOP backward.
};

constexpr LossCounting kLossCountings[] = {
    {"binary_cross_entropy_with_logits", 8, 4, 0, 0},
    {"binary_cross_entropy", 8, 5, 0, 0},  // t log x + (1-t) log(1-x); (x-t) / (x (1-x))
    {"mse_loss", 2, 2, 0, 0, false},
    {"l1_loss", 2, 2, 0, 0, false},
    {"smooth_l1_loss", 5, 4, 0, 0, false},
    {"huber_loss", 5, 4, 0, 0, false},
    {"kl_div", 3, 1, 0, 0},
    {"poisson_nll_loss", 3, 2, 0, 0},
    {"gaussian_nll_loss", 6, 6, 0, 0},
    {"hinge_embedding_loss", 3, 2, 0, 0},
    {"margin_ranking_loss", 4, 2, 0, 0},
    {"soft_margin_loss", 5, 5, 0, 0},
    {"multi_margin_loss", 3, 2, 0, 0},
    {"multilabel_margin_loss", 3, 2, 0, 0},
    {"multilabel_soft_margin_loss", 8, 4, 0, 0},
    {"cosine_embedding_loss", 6, 9, 0, 0},
    {"triplet_margin_loss", 7, 8, 0, 0},
    {"cross_entropy", 5, 3, 1, 0},
    {"nll_loss", 0, 0, 1, 1},
};

constexpr std::string_view kByElement[] = {"binary_cross_entropy_with_logits",
                                           "binary_cross_entropy",
                                           "mse_loss",
                                           "l1_loss",
                                           "smooth_l1_loss",
                                           "huber_loss",
                                           "kl_div",
                                           "poisson_nll_loss",
                                           "soft_margin_loss"};

/// Rows of a prediction: one per target, otherwise the product of all but its last dimension.
double row_count(const OpDesc& op, const Tensor& prediction) {
  const double total = elements(prediction.shape);
  const Tensor* target = input(op, "target");
  if (target != nullptr && elements(target->shape) < total) return elements(target->shape);
  if (prediction.shape.empty()) return total;
  const auto width = static_cast<double>(prediction.shape.back());
  return width > 0 ? total / width : 0;
}

/// x is (steps, batch, classes). Each step visits the labels of each target with blanks between and
/// around them, as if all targets were as long as the longest and all inputs used all steps.
std::optional<double> ctc_flops(const OpDesc& op, const Tensor& x) {
  const Tensor* target = input(op, "target");
  if (target == nullptr || x.shape.size() != 3 || x.shape[1] < 1) return std::nullopt;
  double labels = 0;  // in all targets
  if (target->shape.size() == 2) {
    labels = static_cast<double>(x.shape[1]) * static_cast<double>(target->shape[1]);
  } else if (target->shape.size() == 1) {  // concatenated
    labels = elements(target->shape);
  } else {
    return std::nullopt;
  }
  const double states =
      static_cast<double>(x.shape[0]) * (2 * labels + static_cast<double>(x.shape[1]));
  // The sum of three probabilities in log space: maximum 2, subtract 3, exp 3, add 2, log 1, add 2.
  // Backward: the same from the other end, 5 to combine both, then 4 per element of x.
  if (op.direction == Direction::kBprop) return (13 + 5) * states + 4 * elements(x.shape);
  return 13 * states;
}

OpFacts evaluate_loss(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  // A backward op may take the prediction only for its size.
  const Tensor* prediction = backward ? input(op, "x") : nullptr;
  if (prediction == nullptr && backward) prediction = output(op, "dx");
  if (prediction == nullptr) prediction = input_or(op, "x", 0);
  if (prediction == nullptr) return facts;
  const std::string_view name = model_word(op);
  const LossCounting* count = nullptr;
  for (const LossCounting& known : kLossCountings) {
    if (known.word == name) count = &known;
  }
  if (count == nullptr) {
    facts.cost = cost(ctc_flops(op, *prediction), traffic(op), Basis::kEstimated);
    return facts;
  }
  const double total = elements(prediction->shape);
  const bool by_rows = count->forward_rows > 0 || count->backward_rows > 0;
  const double losses = by_rows ? row_count(op, *prediction) : total;
  const std::string_view reduction = word(op, "reduction");
  const bool reduced = reduction != "none";
  const bool mean = reduced && reduction != "sum";
  double flops = 0;
  if (backward) {
    flops = count->backward * total + count->backward_rows * losses;
    if (reduced && !by_rows && count->scaled) flops += total;
  }
  if (!backward || flag(op, "fused_forward")) {
    flops += count->forward * total + count->forward_rows * losses;
    if (reduced && !by_rows) flops += total;
    if (mean) flops += 1;
  }
  Traffic moved = traffic(op);
  if (const auto size = size_bytes(prediction->dtype);
      name == "nll_loss" && !backward && size && moved.read) {
    // One number per row is picked.
    *moved.read -= (total - losses) * static_cast<double>(*size);
  }
  if (const auto size = size_bytes(prediction->dtype);
      name == "nll_loss" && backward && has_shapes_only(op) && size) {
    // The rest of the gradient is zeros, which an op of its own has written.
    moved.written = losses * static_cast<double>(*size);
  }
  facts.cost = cost(flops, moved, Basis::kEstimated);
  return facts;
}

/// The mean, or the prediction's gradient.
void complete_loss(OpDesc& op) {
  const Tensor* x = input_or(op, "x", 0);
  if (x == nullptr) return;
  const DType dtype = x->dtype;
  if (op.direction == Direction::kBprop) {
    add_output(op, "dx", Shape(x->shape), dtype);
  } else if (word(op, "reduction") != "none") {
    add_output(op, "loss", {}, dtype);
  } else if (const Tensor* target = input(op, "target"); target != nullptr) {
    // One for each element or, where targets are classes, for each target.
    const std::string_view name = model_word(op);
    const bool by_rows = name == "cross_entropy" || name == "nll_loss";
    const bool by_element = std::ranges::find(kByElement, name) != std::end(kByElement);
    const bool are_classes = elements(target->shape) < elements(x->shape);
    if (by_element || (by_rows && are_classes)) add_output(op, "loss", Shape(target->shape), dtype);
  }
}

}  // namespace

void register_loss(Registry& registry);
void register_loss(Registry& registry) {
  registry.add({
      .name = "loss",
      .formulas =
          {
              {"binary_cross_entropy_with_logits",
               "8E: max(x,0) 1, x·t and subtract 2, abs and negate 1, exp 1, 1+ and log 2, add 1",
               "4E: sigmoid 3, minus t 1; mean or sum: + E for the scale", "in + out", "estimated"},
              {"binary_cross_entropy", "8E", "5E; mean or sum: + E", "in + out", "estimated"},
              {"mse_loss l1_loss", "2E", "2E", "in + out", "estimated"},
              {"smooth_l1_loss huber_loss", "5E", "4E", "in + out", "estimated"},
              {"kl_div", "3E", "1E; mean or sum: + E", "in + out", "estimated"},
              {"poisson_nll_loss", "3E", "2E; mean or sum: + E", "in + out", "estimated"},
              {"gaussian_nll_loss", "6E", "6E; mean or sum: + E", "in + out", "estimated"},
              {"hinge_embedding_loss", "3E", "2E; mean or sum: + E", "in + out", "estimated"},
              {"margin_ranking_loss", "4E", "2E; mean or sum: + E", "in + out", "estimated"},
              {"soft_margin_loss", "5E", "5E; mean or sum: + E", "in + out", "estimated"},
              {"multi_margin_loss multilabel_margin_loss", "3E", "2E; mean or sum: + E", "in + out",
               "estimated"},
              {"multilabel_soft_margin_loss", "8E", "4E; mean or sum: + E", "in + out",
               "estimated"},
              {"cosine_embedding_loss", "6E", "9E; mean or sum: + E", "in + out", "estimated"},
              {"triplet_margin_loss", "7E", "8E; mean or sum: + E", "in + out", "estimated"},
              {"cross_entropy", "5E + rows", "3E", "in + out", "estimated"},
              {"nll_loss", "rows", "rows",
               "in + out, with one number per row of x; PyTorch's backward op writes one per row, "
               "into zeros",
               "estimated"},
              {"ctc_loss", "13·T·(2L + N) for T steps, N targets with L labels in total",
               "18·T·(2L + N) + 4E(x)", "in + out", "estimated"},
          },
      .notes = "E: elements of the prediction x. Attr `reduction` mean (the default) or sum: "
               "forward + E for the sum (except for the losses counted by rows), mean: + 1. Attr "
               "`fused_forward`: backward + forward.",
      .evaluate = evaluate_loss,
      .complete = complete_loss,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"binary_cross_entropy_with_logits","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"loss","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=[(32768),(32768)]", std::nullopt, 294913, 262148, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"binary_cross_entropy_with_logits","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[32768],"dtype":"float32"},
              {"name":"dloss","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[32768],"dtype":"float32"}]})",
               "T=[(32768),(32768),()]", std::nullopt, 163840, 393220, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"binary_cross_entropy_with_logits","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"loss","role":"out","type":"tensor","shape":[8],"dtype":"float32"}],
              "attrs":{"reduction":"none"}})",
               "T=[(8),(8)]", std::nullopt, 64, 96, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"mse_loss","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"loss","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=[(8),(8)]", std::nullopt, 25, 68, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"cross_entropy","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,10],"dtype":"float32"},
              {"name":"target","role":"in","type":"tensor","shape":[4],"dtype":"int64"},
              {"name":"loss","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=[(4,10),(4)]", std::nullopt, 205, 196, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"cross_entropy","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,10],"dtype":"bfloat16"},
              {"name":"target","role":"in","type":"tensor","shape":[4],"dtype":"int32"},
              {"name":"dx","role":"out","type":"tensor","shape":[4,10],"dtype":"bfloat16"},
              {"name":"losses","role":"out","type":"tensor","shape":[4],"dtype":"float32"}],
              "attrs":{"fused_forward":true,"reduction":"none"}})",
               "T=[(4,10),(4)]", std::nullopt, 324, 192, Basis::kEstimated},
              {"aten::nll_loss_forward, sizes = [[512, 30528], [512], [], [], []]",
               "T=[(512,30528),(512)]", std::nullopt, 513, std::nullopt, Basis::kEstimated},
              {"aten::nll_loss2d_forward, sizes = [[2, 16, 3, 4], [2, 3, 4], [], [], []]",
               "T=[(2,16,3,4),(2,3,4)]", std::nullopt, 25, std::nullopt, Basis::kEstimated},
              {"aten::nll_loss_nd, sizes = [[8, 16], [8], [], [], []]", "T=[(8,16),(8)]",
               std::nullopt, 9, 4.0 * (8 + 8 + 1), Basis::kEstimated, DType::kFloat32},
              {"aten::nll_loss_backward, sizes = [[], [8, 16], [8], [], [], [], []]",
               "T=[(),(8),()]", std::nullopt, 8, 4.0 * (1 + 8 + 1 + 8), Basis::kEstimated,
               DType::kFloat32},
              // As recorded in BERT: half precision, the classes are 64-bit integers.
              {R"({"op":"aten::nll_loss_backward","args":[{"shape":[],"dtype":"float32"},
              {"shape":[512,30528],"dtype":"float32"},{"shape":[512],"dtype":"int64"},null,
              {"value":1},{"value":-100},{"shape":[],"dtype":"float32"}]})",
               "T=[(),(512),()]", std::nullopt, 512, 4 + 8 * 512 + 4 + 4 * 512, Basis::kEstimated},
              {"aten::binary_cross_entropy_backward, sizes = [[], [8, 16], [8, 16], [], []]",
               "T=[(),(8,16),(8,16)]", std::nullopt, 6 * 128, 4.0 * (3 * 128 + 1),
               Basis::kEstimated, DType::kFloat32},
              {"aten::huber_loss, sizes = [[8, 16], [8, 16], [], []]", "T=[(8,16),(8,16)]",
               std::nullopt, 6 * 128 + 1, 4.0 * (2 * 128 + 1), Basis::kEstimated, DType::kFloat32},
              {"aten::_ctc_loss, sizes = [[20, 4, 10], [4, 5], [], [], [], []]",
               "T=[(20,4,10),(4,5)]", std::nullopt, 13 * 20 * 44, std::nullopt, Basis::kEstimated},
              {"aten::_ctc_loss_backward, sizes = [[4], [20, 4, 10], [20], [], [], [4], [4, 20, "
               "11], [], []]",
               "T=[(4),(20,4,10),(20),(4),(4,20,11)]", std::nullopt, 18 * 20 * 44 + 4 * 800,
               std::nullopt, Basis::kEstimated},
              {R"({"op":"aten::mse_loss","args":[{"shape":[8],"dtype":"float32"},
              {"shape":[8],"dtype":"float32"},{"value":0}]})",
               "T=[(8),(8)]", std::nullopt, 16, 96, Basis::kEstimated},
              {R"({"op":"aten::mse_loss","args":[{"shape":[8],"dtype":"float32"},
              {"shape":[8],"dtype":"float32"},{"value":2}]})",
               "T=[(8),(8)]", std::nullopt, 24, 68, Basis::kEstimated},
              {R"({"op":"aten::cross_entropy_loss","args":[{"shape":[4,10],"dtype":"float32"},
              {"shape":[4],"dtype":"int64"},null,{"value":0},{"value":-100},{"value":0.0}]})",
               "T=[(4,10),(4)]", std::nullopt, 204, 160 + 32 + 16, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
