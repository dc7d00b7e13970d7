// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses, optimizer and collectives of ledger_ops.hpp.
#include "common/ledger_ops.hpp"

namespace ref::ledger {
namespace {

const Operand kScalar = {{1}, kFloat};

// Maximum, subtract, exp, add, divide for each element, a log for each row.
std::int64_t cross_entropy_flops(const CrossEntropy& loss) {
  const std::int64_t rows = elements(loss.rows);
  return 5 * rows * loss.classes + rows + (loss.mean ? 1 : 0);
}

std::int64_t cross_entropy_gradient_flops(const CrossEntropy& loss) {
  return 3 * elements(loss.rows) * loss.classes;
}

}  // namespace

// 8 for max(x, 0) - x t + log(1 + exp(-|x|)), 1 to add up; the mean is one division.
LedgerOp bce_with_logits(std::int64_t samples) {
  return op("binary_cross_entropy_with_logits", Pass::forward, {{{samples}, kFloat, 2}}, {kScalar},
            9 * samples + 1);
}

// sigmoid(x) - t is 4, the scale 1.
LedgerOp bce_with_logits_backward(std::int64_t samples) {
  return op("binary_cross_entropy_with_logits", Pass::backward, {{{samples}, kFloat, 2}, kScalar},
            {{{samples}, kFloat}}, 5 * samples);
}

LedgerOp cross_entropy(const CrossEntropy& loss) {
  return op("cross_entropy", Pass::forward,
            {{join(loss.rows, loss.classes), loss.size}, {loss.rows, loss.target_size}},
            {{{1}, loss.loss_size}}, cross_entropy_flops(loss));
}

LedgerOp cross_entropy_backward(const CrossEntropy& loss) {
  const Operand x = {join(loss.rows, loss.classes), loss.size};
  return op("cross_entropy", Pass::backward,
            {x, {loss.rows, loss.target_size}, {{1}, loss.loss_size}}, {x},
            cross_entropy_gradient_flops(loss));
}

LedgerOp cross_entropy_fused(const CrossEntropy& loss) {
  const Operand x = {join(loss.rows, loss.classes), loss.size};
  return op("cross_entropy", Pass::backward, {x, {loss.rows, loss.target_size}},
            {x, {{elements(loss.rows)}, loss.loss_size}},
            cross_entropy_flops(loss) + cross_entropy_gradient_flops(loss));
}

// param -= rate * grad
LedgerOp sgd(std::int64_t parameters, const Operands& in, const Operands& out) {
  return op("sgd", Pass::update, in, out, 2 * parameters);
}

// Adam's update is 12, the decay 2.
LedgerOp adamw(std::int64_t parameters, const Operands& in, const Operands& out) {
  return op("adamw", Pass::update, in, out, 14 * parameters);
}

// Adam's update, two norms, the trust ratio.
LedgerOp lamb(std::int64_t parameters, const Operands& in, const Operands& out) {
  return op("lamb", Pass::update, in, out, 18 * parameters);
}

LedgerOp unscale(const Operand& grad, const Operand& out) {
  return op("unscale", Pass::update, {grad}, {out}, elements(grad.shape));
}

LedgerOp multi_tensor_scale(const Operand& found_inf, const Operands& in, const Operands& out) {
  Operands all = {found_inf};
  all.insert(all.end(), in.begin(), in.end());
  return op("multi_tensor_scale", Pass::update, all, out, elements(in));
}

LedgerOp multi_tensor_l2norm(const Operands& grads, const Operand& out) {
  return op("multi_tensor_l2norm", Pass::update, grads, {out},
            2 * elements(grads) + elements(out.shape));
}

// Add epsilon, divide, compare.
LedgerOp clip_grad_norm() { return op("clip_grad_norm", Pass::update, {kScalar}, {kScalar}, 3); }

LedgerOp all_reduce(Pass pass, const Operands& x, bool average) {
  return op("all_reduce", pass, x, x, (average ? 2 : 1) * elements(x));
}

}  // namespace ref::ledger
