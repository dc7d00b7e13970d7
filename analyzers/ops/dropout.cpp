// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout: a comparison and a scaling for each element.
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_dropout(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  facts.params = main_params(op);
  // A library keeps the mask in memory of its own, of a size that it does not say.
  const bool is_whole = !is_library_call(op.op);
  facts.cost =
      cost(2 * elements(main->shape), traffic(op), is_whole ? Basis::kExact : Basis::kEstimated);
  return facts;
}

/// The result, and in the forward pass the mask, one byte per element.
void complete_dropout(OpDesc& op) {
  complete_like_first(op);
  if (op.direction == Direction::kBprop || op.tensors.empty()) return;
  add_output(op, "mask", Shape(op.tensors.back().shape), DType::kBool);
}

}  // namespace

void register_dropout(Registry& registry);
void register_dropout(Registry& registry) {
  registry.add({
      .name = "dropout",
      .formulas =
          {
              {"dropout alpha_dropout feature_dropout", "2E: compare, scale", "2E",
               "in + out, and the mask if it is an operand",
               "exact; cuDNN's own estimated: its mask is no operand"},
          },
      .notes = "Generating random numbers is not counted.",
      .evaluate = evaluate_dropout,
      .complete = complete_dropout,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"dropout","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"mask","role":"out","type":"tensor","shape":[64,256],"dtype":"bool"}]})",
               "T=(64,256)", std::nullopt, 32768, 81920},
              {R"({"v":1,"mod":"prof","op":"dropout","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64],"dtype":"float16"},
              {"name":"mask","role":"in","type":"tensor","shape":[64],"dtype":"bool"},
              {"name":"dx","role":"out","type":"tensor","shape":[64],"dtype":"float16"}]})",
               "T=(64)", std::nullopt, 128, 320},
              {"aten::native_dropout, sizes = [[4, 128], [], []]", "T=(4,128)", std::nullopt, 1024,
               512 * (2 + 2 + 1), Basis::kExact, DType::kFloat16},
              {"aten::native_dropout_backward, sizes = [[64], [64], []]", "T=(64)", std::nullopt,
               128, std::nullopt},
          },
  });
}

}  // namespace prof::ops
