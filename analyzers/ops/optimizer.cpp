// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One optimizer step over one or many parameters.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

double parameters(const OpDesc& op) {
  double total = 0;
  for (const Tensor& tensor : op.tensors) {
    const bool is_parameter = tensor.name.starts_with("param") || tensor.name.starts_with("weight");
    if (is_input(tensor) && is_parameter) total += elements(tensor.shape);
  }
  return total > 0 ? total : output_elements(op);
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  const std::string_view name = canonical_word(op.op);
  facts.cost.basis = Basis::kEstimated;
  double each = 18;  // LAMB: Adam's update, two norms, the trust ratio
  if (name == "sgd") {
    facts.cost.basis = Basis::kExact;
    each = 2;
    for (const std::string_view term : {"momentum", "weight_decay", "nesterov"}) {
      if (nonzero(op, term)) each += 2;
    }
    if (nonzero(op, "scale")) each += 1;
  } else if (name == "adam" || name == "adamw") {
    each = nonzero(op, "weight_decay") ? 14 : 12;
  }
  const double count = parameters(op);
  if (count > 0) facts.cost.flops = each * count;
  facts.cost.bytes = moved_bytes(op);
  return facts;
}

}  // namespace

void register_optimizer(Registry& registry);
void register_optimizer(Registry& registry) {
  registry.add({
      .name = "optimizer",
      .words = {"sgd", "adam", "adamw", "lamb"},
      .evaluate = evaluate,
      .implied_direction = Direction::kUpdate,
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
          },
  });
}

}  // namespace prof::ops
