// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An elementwise operation over lists of tensors, as in PyTorch's optimizers.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct ForeachCounting {
  std::string_view words;
  double each;  ///< FLOPs for each element of the first list.
};

constexpr std::string_view kPrefix = "_foreach_";
constexpr ForeachCounting kForeachCountings[] = {
    {"addcmul addcdiv lerp", 3},
    {"norm", 2},
    {"zero copy clone", 0},
    {"sigmoid", 4},
};

/// Bytes of all inputs but those of one list.
std::optional<double> without_list(const OpDesc& op, std::string_view name) {
  std::optional<double> total = 0;
  for (const Tensor& tensor : op.tensors) {
    if (is_input(tensor) && tensor.name != name) total = sum(total, tensor_bytes(tensor));
  }
  return total;
}

OpFacts evaluate_foreach(const OpDesc& op) {
  OpFacts facts;
  std::string_view name = canonical_word(op.op);
  if (!name.starts_with(kPrefix) || op.tensors.empty()) return facts;
  name.remove_prefix(kPrefix.size());
  double each = 1;
  for (const ForeachCounting& known : kForeachCountings) {
    for_each_word(known.words, [&](std::string_view word) {
      if (word == name) each = known.each;
    });
  }
  double count = 0;
  const std::string list = op.tensors.front().name;
  for (const Tensor& tensor : op.tensors) {
    if (tensor.name == list) count += elements(tensor.shape);
  }
  Traffic moved = traffic(op);
  if (name == "zero") moved.read = 0;
  // Optimizers pass the gradients twice, for their squares.
  if (name == "addcmul") moved.read = without_list(op, "tensor2");
  facts.cost = cost(each * count, moved, Basis::kEstimated);
  return facts;
}

/// A list like the first; for norms one number per tensor.
void complete_foreach(OpDesc& op) {
  if (op.tensors.empty()) return;
  const std::string list = op.tensors.front().name;
  const bool norms = canonical_word(op.op) == "_foreach_norm";
  const std::size_t count = op.tensors.size();
  for (std::size_t i = 0; i < count && op.tensors[i].name == list; ++i) {
    const DType dtype = op.tensors[i].dtype;
    add_output(op, "out", norms ? Shape{} : Shape(op.tensors[i].shape), dtype);
  }
}

}  // namespace

void register_foreach(Registry& registry);
void register_foreach(Registry& registry) {
  registry.add({
      .name = "foreach",
      .formulas =
          {
              {"_foreach_add _foreach_sub _foreach_mul _foreach_div _foreach_maximum "
               "_foreach_minimum _foreach_clamp_min _foreach_clamp_max _foreach_pow _foreach_sqrt "
               "_foreach_rsqrt _foreach_exp _foreach_expm1 _foreach_neg _foreach_abs "
               "_foreach_reciprocal _foreach_log _foreach_log10 _foreach_log1p _foreach_log2 "
               "_foreach_ceil _foreach_floor _foreach_round _foreach_tanh _foreach_sign "
               "_foreach_erf _foreach_erfc _foreach_sin _foreach_cos _foreach_frac _foreach_trunc "
               "_foreach_lgamma _foreach_max _foreach_tan _foreach_acos _foreach_asin "
               "_foreach_atan "
               "_foreach_sinh _foreach_cosh",
               "E", "-", "in + out", "estimated"},
              {"_foreach_addcdiv _foreach_lerp", "3E", "-", "in + out", "estimated"},
              {"_foreach_addcmul", "3E", "-",
               "in + out, with the two factors as one list: optimizers square the gradients",
               "estimated"},
              {"_foreach_sigmoid", "4E", "-", "in + out", "estimated"},
              {"_foreach_norm", "2E", "-", "in + out", "estimated"},
              {"_foreach_zero _foreach_copy _foreach_clone", "0", "-", "in + out", "estimated"},
          },
      .notes = "E: elements of the first list. If lists of equal shapes follow each other, "
               "shapes alone cannot distinguish one list from two.",
      .evaluate = evaluate_foreach,
      .complete = complete_foreach,
      .no_product = true,
      .examples =
          {
              {"aten::_foreach_addcdiv_, sizes = [[8, 4], [6], [8, 4], [6], [8, 4], [6], []]",
               "T=[(8,4),(6),(8,4),(6),(8,4),(6)]", std::nullopt, 3 * 38, 4 * 4 * 38,
               Basis::kEstimated, DType::kFloat32},
              {"aten::_foreach_addcmul_, sizes = [[8, 16], [16], [8, 16], [16], [8, 16], [16], []]",
               "T=[(8,16),(16),(8,16),(16),(8,16),(16)]", std::nullopt, 3 * 144, 4 * 3 * 144,
               Basis::kEstimated, DType::kFloat32},
              {"aten::_foreach_mul_, sizes = [[8, 4], [6], []]", "T=[(8,4),(6)]", std::nullopt, 38,
               8 * 38, Basis::kEstimated, DType::kFloat32},
              {"aten::_foreach_sqrt, sizes = [[8, 4], [6]]", "T=[(8,4),(6)]", std::nullopt, 38,
               8 * 38, Basis::kEstimated, DType::kFloat32},
              {"aten::_foreach_norm, sizes = [[8, 4], [6], [], []]", "T=[(8,4),(6)]", std::nullopt,
               76, 4 * 40, Basis::kEstimated, DType::kFloat32},
              {"aten::_foreach_zero_, sizes = [[8, 4], [6]]", "T=[(8,4),(6)]", std::nullopt, 0,
               4 * 38, Basis::kEstimated, DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
