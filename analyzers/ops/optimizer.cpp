// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One optimizer step over one or many parameters.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct OptimizerCounting {
  std::string_view word;
  double each;  ///< FLOPs for each parameter.
};

constexpr OptimizerCounting kOptimizerCountings[] = {
    {"adam", 12},   {"adamw", 12},  // two averages, two corrections, root, division, step
    {"lamb", 18},                   // Adam's update, two norms, the trust ratio
    {"adagrad", 7},                 // square, add, root, epsilon, divide, step
    {"rmsprop", 9},                 // square, average, root, epsilon, divide, step
};

double parameters(const OpDesc& op) {
  double total = 0;
  for (const Tensor& tensor : op.tensors) {
    const bool is_parameter = tensor.name.starts_with("param") || tensor.name.starts_with("weight");
    if (is_input(tensor) && is_parameter) total += elements(tensor.shape);
  }
  return total > 0 ? total : output_elements(op);
}

/// apex's multi-tensor kernels compute the same.
std::string_view rule(const OpDesc& op) {
  std::string_view name = model_word(op);
  constexpr std::string_view kMulti = "multi_tensor_";
  if (name.starts_with(kMulti)) name.remove_prefix(kMulti.size());
  return name;
}

OpFacts evaluate_optimizer(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  const std::string_view name = rule(op);
  Basis basis = Basis::kEstimated;
  double each = 0;
  if (name == "sgd") {
    if (!has_shapes_only(op)) basis = Basis::kExact;
    each = 2;
    for (const std::string_view term : {"momentum", "weight_decay", "nesterov"}) {
      if (nonzero(op, term)) each += 2;
    }
    const bool hides_momentum = has_shapes_only(op) && !has_attr(op, "momentum");
    if (input(op, "momentum_buffer") != nullptr && hides_momentum) each += 2;
    if (nonzero(op, "scale")) each += 1;
  } else {
    for (const OptimizerCounting& known : kOptimizerCountings) {
      if (known.word == name) each = known.each;
    }
    if (nonzero(op, "weight_decay") && name != "lamb") each += 2;
  }
  const double count = parameters(op);
  std::optional<double> flops;
  if (count > 0 && each > 0) flops = each * count;
  facts.cost = cost(flops, traffic(op), basis);
  return facts;
}

}  // namespace

void register_optimizer(Registry& registry);
void register_optimizer(Registry& registry) {
  registry.add({
      .name = "optimizer",
      .formulas =
          {
              {"sgd multi_tensor_sgd",
               "2P; attrs: `momentum` not 0: + 2P; `weight_decay` not 0: + 2P; `nesterov`: + 2P; "
               "`scale` (loss scale undone on the fly): + P",
               "-", "in + out", "exact"},
              {"adam adamw multi_tensor_adam", "12P; `weight_decay` not 0: + 2P", "-",
               "in + out; unknown if only the parameters are stated", "estimated"},
              {"lamb multi_tensor_lamb", "18P", "-", "in + out", "estimated"},
              {"adagrad multi_tensor_adagrad", "7P; `weight_decay` not 0: + 2P", "-", "in + out",
               "estimated"},
              {"rmsprop", "9P; `weight_decay` not 0: + 2P", "-", "in + out", "estimated"},
              {"nadam radam adamax adadelta rprop asgd adafactor sparseadam lbfgs muon",
               "-; in PyTorch the inner ops count", "-", "in + out", "estimated"},
          },
      .notes = "P: elements of the tensors named `param` or `weight`, or of the outputs if there "
               "are none. In PyTorch any class of optimizer is an op; of one that is not listed "
               "here the inner ops count.",
      .evaluate = evaluate_optimizer,
      .implied_direction = Direction::kUpdate,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"sgd","dir":"update","args":[
              {"name":"param","role":"in","type":"tensor","shape":[512,13],"dtype":"float32"},
              {"name":"grad","role":"in","type":"tensor","shape":[512,13],"dtype":"float32"},
              {"name":"param","role":"out","type":"tensor","shape":[512,13],"dtype":"float32"},
              {"name":"half","role":"out","type":"tensor","shape":[512,13],"dtype":"float16"}]})",
               "T=[(512,13),(512,13)]", std::nullopt, 13312, 93184},
              {R"({"v":1,"mod":"prof","op":"sgd","dir":"update","args":[
              {"name":"param","role":"inout","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"grad","role":"in","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"momentum_buffer","role":"inout","type":"tensor","shape":[10],"dtype":"float32"}],
              "attrs":{"momentum":0.9,"weight_decay":0.0001}})",
               "T=[(10),(10),(10)]", std::nullopt, 60, 200},
              {R"({"v":1,"mod":"prof","op":"adam","dir":"update","args":[
              {"name":"param","role":"inout","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"grad","role":"in","type":"tensor","shape":[10],"dtype":"float16"},
              {"name":"m","role":"inout","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"v","role":"inout","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=[(10),(10),(10),(10)]", std::nullopt, 120, 260, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"lamb","args":[
              {"name":"param","role":"inout","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"grad","role":"in","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=[(10),(10)]", std::nullopt, 180, 120, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"nadam","args":[
              {"name":"param","role":"inout","type":"tensor","shape":[10],"dtype":"float32"},
              {"name":"grad","role":"in","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=[(10),(10)]", std::nullopt, std::nullopt, 120, Basis::kEstimated},
              {"aten::_fused_adamw_, sizes = [[8, 16], [16], [8, 16], [16], [8, 16], [16], [8, "
               "16], [16], [], [], [], [], [], [], [], [], [], [], [], []]",
               "T=[(8,16),(16),(8,16),(16),(8,16),(16),(8,16),(16),(),()]", std::nullopt, 12 * 144,
               4 * (4 * 144 + 2 + 3 * 144), Basis::kEstimated, DType::kFloat32},
              {"aten::_fused_sgd_, sizes = [[8, 16], [16], [8, 16], [16], [8, 16], [16], [], [], "
               "[], [], [], [], [], [], []]",
               "T=[(8,16),(16),(8,16),(16),(8,16),(16)]", std::nullopt, 4 * 144, 4 * 5 * 144,
               Basis::kEstimated, DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
