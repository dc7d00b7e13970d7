// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalisation layers. `add_layer_norm` adds a residual first and gives out the sum as well.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  const std::string_view name = canonical_word(op.op);
  const bool rms = name == "rms_norm";
  double each = op.direction == Direction::kBprop ? (rms ? 10 : 14) : (rms ? 4 : 8);
  if (name == "add_layer_norm" && op.direction != Direction::kBprop) each += 1;
  facts.params = main_params(op);
  facts.cost = {each * elements(main->shape), moved_bytes(op), Basis::kEstimated};
  return facts;
}

}  // namespace

void register_norm(Registry& registry);
void register_norm(Registry& registry) {
  registry.add({
      .name = "norm",
      .words = {"layer_norm", "rms_norm", "batch_norm", "add_layer_norm"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"layer_norm","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[256],"dtype":"float32"},
              {"name":"bias","role":"in","type":"tensor","shape":[256],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[64,256],"dtype":"float16"}]})",
               "T=(64,256)", std::nullopt, 131072, 67584, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"add_layer_norm","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"bfloat16"},
              {"name":"residual","role":"in","type":"tensor","shape":[64,256],"dtype":"bfloat16"},
              {"name":"weight","role":"in","type":"tensor","shape":[256],"dtype":"bfloat16"},
              {"name":"bias","role":"in","type":"tensor","shape":[256],"dtype":"bfloat16"},
              {"name":"sum","role":"out","type":"tensor","shape":[64,256],"dtype":"bfloat16"},
              {"name":"y","role":"out","type":"tensor","shape":[64,256],"dtype":"bfloat16"}]})",
               "T=(64,256)", std::nullopt, 147456, 132096, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"rms_norm","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[64,256],"dtype":"float16"}]})",
               "T=(64,256)", std::nullopt, 163840, 98304, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
