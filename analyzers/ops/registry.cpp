// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/registry.hpp"

#include <cmath>
#include <utility>

#include "analyzers/ops/op_math.hpp"

namespace prof::ops {

std::string_view without_namespace(std::string_view op) {
  // c10d's collectives come by several doors: the library's, torch.compile's, and NCCL's own
  // ranges.
  constexpr std::string_view kNamespaces[] = {
      "aten::", "c10d::", "_c10d_functional::", "c10d_functional::", "nccl:"};
  for (const std::string_view name : kNamespaces) {
    if (op.starts_with(name)) return op.substr(name.size());
  }
  return op;
}

std::string_view canonical_word(std::string_view op) {
  op = without_namespace(op);
  if (op.size() > 1 && op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
  return op;
}

void Registry::add(OpModel model) {
  const OpModel& kept = models_.emplace_back(std::move(model));
  for (const std::string_view word : kept.words) {
    if (!by_word_.emplace(word, &kept).second) clashes_.emplace_back(word);
  }
}

const OpModel* Registry::find(std::string_view op) const {
  const auto it = by_word_.find(canonical_word(op));
  return it == by_word_.end() ? nullptr : it->second;
}

OpFacts evaluate(const OpModel* model, const OpDesc& op) {
  OpFacts facts;
  if (model != nullptr) facts = model->evaluate(op);
  if (facts.params.empty()) facts.params = input_params(op);
  if (facts.dtype == DType::kUnknown) facts.dtype = main_dtype(op);
  // Sizes beyond what a number holds are no sizes.
  if (facts.cost.flops && !std::isfinite(*facts.cost.flops)) facts.cost.flops.reset();
  if (facts.cost.bytes && !std::isfinite(*facts.cost.bytes)) facts.cost.bytes.reset();
  if (!facts.cost.flops && !facts.cost.bytes) facts.cost.basis = Basis::kUnknown;
  return facts;
}

}  // namespace prof::ops
