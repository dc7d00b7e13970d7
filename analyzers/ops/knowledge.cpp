// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/knowledge.hpp"

#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/aten_signatures.hpp"

namespace prof::ops {

bool Knowledge::can_count(const OpDesc& op) const {
  const OpModel* model = model_of(op);
  if (model == nullptr) return false;
  const OpFacts facts = evaluate(model, as_called(op));
  return facts.gemm || facts.cost.flops;
}

bool Knowledge::is_between_devices(const OpDesc& op) const {
  const OpModel* model = model_of(op);
  return model != nullptr && model->between_devices;
}

OpDesc as_called(const OpDesc& op) {
  OpDesc directed = op;
  const bool is_forward = forward_word(op.op).empty();
  directed.direction = is_forward ? Direction::kFprop : Direction::kBprop;
  return directed;
}

bool prepares(const OpDesc& op) { return is_preparation(op.op); }

std::string_view word_for_people(const OpDesc& op) { return display_word(op.op); }

bool is_one_of(const OpDesc& op, std::string_view words) {
  bool found = false;
  for_each_word(words, [&, word = word_for_people(op)](std::string_view one) {
    found = found || one == word;
  });
  return found;
}

}  // namespace prof::ops
