// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a constant: zeroed gradients, initial values, memory sets.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  // A filled tensor may be stated as in, out or both: it is written, not read.
  const bool has_outputs = output(op, std::size_t{0}) != nullptr;
  std::vector<const Tensor*> filled;
  for (const Tensor& tensor : op.tensors) {
    if (!has_outputs || is_output(tensor)) filled.push_back(&tensor);
  }
  facts.params = shape_params(filled);
  facts.dtype = filled.front()->dtype;
  facts.cost = cost(0, {0.0, has_outputs ? output_bytes(op) : input_bytes(op)});
  return facts;
}

}  // namespace

void register_fill(Registry& registry);
void register_fill(Registry& registry) {
  registry.add({
      .name = "fill",
      .formulas =
          {
              {"zero zeros zeros_like ones ones_like fill full full_like scalar_tensor memset "
               "arange range "
               "linspace logspace eye new_zeros new_ones new_full empty empty_like new_empty "
               "empty_strided fill_diagonal triu_indices tril_indices hann_window hamming_window "
               "bartlett_window blackman_window kaiser_window",
               "0", "0", "out", "exact"},
          },
      .evaluate = evaluate,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"zero","dir":"update","args":[
              {"name":"grad","role":"out","type":"tensor","shape":[512,13],"dtype":"float32"}]})",
               "T=(512,13)", std::nullopt, 0, 26624},
              {R"({"v":1,"mod":"prof","op":"zero_","dir":"update","args":[
              {"name":"grad","role":"inout","type":"tensor","shape":[1],"dtype":"float32"}]})",
               "T=(1)", std::nullopt, 0, 4},
              {R"({"v":1,"mod":"prof","op":"zero","dir":"update","args":[
              {"name":"a","role":"out","type":"tensor","shape":[512,13],"dtype":"float16"},
              {"name":"b","role":"out","type":"tensor","shape":[512],"dtype":"float16"}]})",
               "T=[(512,13),(512)]", std::nullopt, 0, 14336},
          },
  });
}

}  // namespace prof::ops
