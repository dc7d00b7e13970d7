// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/kernel_rules.hpp"

#include "analyzers/facts/framework_rules.hpp"
#include "analyzers/ops/triton_kernels.hpp"

namespace prof {

bool is_in_compiled_code(const Facts& facts) {
  const bool is_around = facts.op.reported == nullptr || facts.backward.has_own_ops;
  return facts.op.has_own_ops || (facts.is_compiled && is_around);
}

bool lacks_op(const Facts& facts) {
  return facts.op.reported == nullptr || facts.op.has_own_ops || facts.backward.has_own_ops;
}

Facts enter_kernel(const Facts& around, const OpRef& op, const ops::OpCatalog& ops) {
  FrameworkOp kernel;
  kernel.op = op;
  kernel.is_kernel = true;
  kernel.is_backward = ops::is_fused_backward(op->op);
  Facts facts = around;
  enter_framework_op(facts, kernel, ops);
  return facts;
}

}  // namespace prof
