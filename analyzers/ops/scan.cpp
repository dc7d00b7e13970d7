// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Scans: running sums, products, maxima.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_scan(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input_or(op, "x", 0);  // by name, else by position
  if (x == nullptr) return facts;          // no number is better than a wrong one
  const std::string_view name = model_word(op);
  const bool backward = op.direction == Direction::kBprop;
  double each = name == "logcumsumexp" ? 4 : 1;  // max, subtract, exp, add
  if (backward && name != "cumsum") each = name == "cumprod" ? 4 : each;
  facts.params = main_params(op);
  facts.cost = cost(each * elements(x->shape), traffic(op),
                    name == "cumsum" ? Basis::kExact : Basis::kEstimated);
  return facts;
}

}  // namespace

void register_scan(Registry& registry);
void register_scan(Registry& registry) {
  registry.add({
      .name = "scan",
      .formulas =
          {
              {"cumsum", "E", "E"},
              {"cumprod", "E", "4E", "in + out", "estimated"},
              {"cummax cummin", "E", "E", "in + out", "estimated"},
              {"logcumsumexp", "4E", "4E", "in + out", "estimated"},
          },
      .evaluate = evaluate_scan,
      .complete = complete_like_first,
      .no_product = true,
      .takes_integers = true,
      .ordering = "cumsum cumprod cummax cummin logcumsumexp",
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"cumsum","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8,4],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[8,4],"dtype":"float32"}]})",
               "T=(8,4)", std::nullopt, 32, 256},
              {"aten::cumsum, sizes = [[8, 16], [], []]", "T=(8,16)", std::nullopt, 128, 512,
               Basis::kExact, DType::kFloat16},
              {"aten::logcumsumexp, sizes = [[8, 16], []]", "T=(8,16)", std::nullopt, 512,
               std::nullopt, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
