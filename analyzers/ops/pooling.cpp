// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pooling.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

bool is_max(std::string_view name) { return name.find("max") != std::string_view::npos; }
bool is_adaptive(std::string_view name) { return name.starts_with("adaptive"); }

/// Elements under one window.
std::optional<double> window(const OpDesc& op, const Tensor& x, const Tensor& y) {
  const std::string_view name = model_word(op);
  if (is_adaptive(name)) {
    const double results = elements(y.shape);
    if (results < 1) return std::nullopt;
    return elements(x.shape) / results;
  }
  const auto digit = name.find_first_of("123");
  if (digit == std::string_view::npos) return std::nullopt;
  const auto kernel = sizes(op, "kernel_size", static_cast<std::size_t>(name[digit] - '0'));
  if (!kernel) return std::nullopt;
  return elements(*kernel);
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  const std::string_view name = model_word(op);
  facts.params = main_params(op);
  const Tensor* y = backward ? input_or(op, "dy", 0) : output(op, std::size_t{0});
  const Tensor* x = backward ? output(op, std::size_t{0}) : input_or(op, "x", 0);
  if (x == nullptr) return facts;
  std::optional<double> flops;
  Basis basis = is_adaptive(name) || told_by_shapes(op) ? Basis::kEstimated : Basis::kExact;
  if (y != nullptr && backward && is_max(name)) {
    flops = elements(y->shape);  // added where the maximum was
    basis = Basis::kEstimated;
  } else if (y != nullptr) {
    const auto under = window(op, *x, *y);
    const double each = under.value_or(0) + (backward ? 1 : is_max(name) ? -1 : 0);
    if (under) flops = elements(y->shape) * std::max(each, 0.0);
  }
  facts.cost = cost(flops, traffic(op), basis);
  return facts;
}

/// The gradient is like x; the result's size is not known from shapes.
void complete(OpDesc& op) {
  const Tensor* x = input(op, "x");
  if (op.direction != Direction::kBprop || x == nullptr) return;
  const DType dtype = x->dtype;
  add_output(op, "dx", Shape(x->shape), dtype);
}

}  // namespace

void register_pooling(Registry& registry);
void register_pooling(Registry& registry) {
  registry.add({
      .name = "pooling",
      .formulas =
          {
              {"max_pool1d max_pool2d max_pool3d", "E·(window - 1) comparisons", "E (of dy)",
               "in + out", "exact forward, estimated backward"},
              {"avg_pool1d avg_pool2d avg_pool3d", "E·window: additions and a division",
               "E·(window + 1), E of dy", "in + out", "exact"},
              {"adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d", "E(x) - E",
               "E (of dy)", "in + out", "estimated"},
              {"adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d", "E(x)",
               "E(x) + E, E of dy", "in + out", "estimated"},
          },
      .notes = "The window is attr `kernel_size` (a number, or one for each dimension: 3,2). "
               "PyTorch tells it not, nor the size of the result: forward there is no number.",
      .evaluate = evaluate,
      .complete = complete,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"max_pool2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,8,8,8],"dtype":"float16"}],
              "attrs":{"kernel_size":3}})",
               "T=(2,8,16,16)", std::nullopt, 1024 * 8, 2 * (4096 + 1024)},
              {R"({"v":1,"mod":"prof","op":"avg_pool2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,8,8,16],"dtype":"float16"}],
              "attrs":{"kernel_size":"2,1"}})",
               "T=(2,8,16,16)", std::nullopt, 2048 * 2, 2 * (4096 + 2048)},
              {"aten::_adaptive_avg_pool2d_backward, sizes = [[2, 8, 1, 1], [2, 8, 16, 16]]",
               "T=(2,8,1,1)", std::nullopt, 4096 + 16, 2 * (16 + 4096 + 4096), Basis::kEstimated,
               DType::kFloat16},
              {"aten::max_pool2d_with_indices_backward, sizes = [[2, 8, 8, 8], [2, 8, 16, 16], [], "
               "[], [], [], [], [2, 8, 8, 8]]",
               "T=(2,8,8,8)", std::nullopt, 1024, std::nullopt, Basis::kEstimated},
              {"aten::max_pool2d_with_indices, sizes = [[2, 8, 16, 16], [], [], [], [], []]",
               "T=(2,8,16,16)", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
