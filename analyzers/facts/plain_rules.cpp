// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/plain_rules.hpp"

#include "analyzers/facts/plain_names.hpp"

namespace prof {

bool may_have_plain_op(const Facts& facts) {
  const LayerFacts& layer = facts.layer;
  if (layer.plain_path.empty() || !layer.path.empty() || !layer.inherited.empty()) return false;
  if (facts.backward.is_inside || facts.optimizer.around != nullptr) return false;
  if (facts.is_compiled || facts.compiled.graph != nullptr) return false;
  return facts.op.reported == nullptr || facts.op.is_library_call;
}

Facts enter_plain_op(const Facts& around, PlainRole role) {
  Facts facts = around;
  std::string& path = facts.layer.plain_path;
  facts.plain_op = operation_of(std::string_view(path).substr(facts.layer.plain_at));
  if (role == PlainRole::kOp && facts.layer.plain_at > 0) path.resize(facts.layer.plain_at - 1);
  return facts;
}

Facts enter_plain_kernel(const Facts& around, std::string_view kernel) {
  Facts facts = around;
  facts.plain_op = kernel;
  return facts;
}

}  // namespace prof
