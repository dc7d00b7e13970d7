// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton kernels. At best their arguments are known: not which of them they write, nor what they
// compute.
#include <algorithm>

#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"
#include "analyzers/ops/triton_kernels.hpp"

namespace prof::ops {
namespace {

/// Ops that leave most of a tensor alone: a table of embeddings, the rest of a slice.
constexpr std::string_view kOfParts[] = {"embedding",
                                         "_embedding_bag",
                                         "index",
                                         "_unsafe_index",
                                         "index_select",
                                         "index_put",
                                         "_unsafe_index_put",
                                         "index_add",
                                         "index_copy",
                                         "index_fill",
                                         "gather",
                                         "scatter",
                                         "scatter_add",
                                         "scatter_reduce",
                                         "take",
                                         "masked_scatter",
                                         "select",
                                         "slice",
                                         "narrow",
                                         "split",
                                         "split_with_sizes",
                                         "chunk",
                                         "unbind",
                                         "diagonal",
                                         "as_strided",
                                         "slice_scatter",
                                         "select_scatter",
                                         "nll_loss_forward",
                                         "nll_loss2d_forward"};

bool touches_parts(std::string_view kernel) {
  return std::ranges::any_of(fused_ops(kernel), [](std::string_view op) {
    const std::string_view word = canonical_word(op);
    return std::ranges::find(kOfParts, word) != std::end(kOfParts) ||
           display_word(word) == "embedding";
  });
}

OpFacts evaluate_triton(const OpDesc& op) {
  OpFacts facts;
  facts.params = input_params(op);
  if (op.tensors.empty() || touches_parts(op.op)) return facts;
  std::optional<double> bytes = 0;
  for (const Tensor& tensor : op.tensors) {
    if (!tensor.is_repeated) bytes = sum(bytes, tensor_bytes(tensor));
  }
  facts.cost.bytes = bytes;
  facts.cost.basis = Basis::kEstimated;
  return facts;
}

}  // namespace

void register_triton(Registry& registry);
void register_triton(Registry& registry) {
  registry.add({
      .name = "triton",
      .formulas = {{"triton_kernel", "-", "-", "the arguments, each once", "estimated"}},
      .notes = "Any Triton kernel; which arguments it writes is not known: bytes are those of all "
               "of them, too many if it takes parts. Bytes are unknown where "
               "the ops in its name work on parts of their tensors, as `embedding` and `slice` do.",
      .evaluate = evaluate_triton,
      .examples =
          {
              {R"({"op":"triton_poi_fused_mul_silu_2","args":[{"shape":[8,128],"dtype":"bfloat16"},
              {"shape":[8,128],"dtype":"bfloat16"},{"value":1024}]})",
               "T=[(8,128),(8,128)]", std::nullopt, std::nullopt, 4096, Basis::kEstimated},
              {R"({"op":"triton_per_fused_add_embedding_mean_0","args":[
              {"shape":[8],"dtype":"int64"},{"shape":[1000,64],"dtype":"float32"}]})",
               "T=[(8),(1000,64)]", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
              {R"({"op":"scale_add_kernel_0","args":[{"shape":[256],"dtype":"float32"},
              {"shape":[256],"dtype":"float32"}],"facts":{"backend":"triton"}})",
               "T=[(256),(256)]", std::nullopt, std::nullopt, 2048, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
