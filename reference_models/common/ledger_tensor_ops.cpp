// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops of ledger_ops.hpp, those along a row, and the parts common to all ledger ops.
#include <functional>
#include <numeric>
#include <utility>

#include "common/ledger_ops.hpp"

namespace ref::ledger {
namespace {

std::string_view direction(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "fprop";
    case Pass::backward:
      return "bprop";
    case Pass::update:
      break;
  }
  return "update";
}

std::vector<LedgerShape> shapes(const Operands& operands) {
  std::vector<LedgerShape> all;
  for (const Operand& operand : operands) {
    all.insert(all.end(), static_cast<std::size_t>(operand.count), operand.shape);
  }
  return all;
}

LedgerOp binary(std::string word, Pass pass, const Operands& in, const Operands& out,
                std::int64_t backward) {
  const std::int64_t each = pass == Pass::backward ? backward : 1;
  return op(std::move(word), pass, in, out, each * elements(out));
}

// Elements that a softmax processes.
std::int64_t counted(const LedgerShape& shape, Softmax form) {
  if (!form.causal) return elements(shape);
  const std::int64_t length = shape.back();
  return elements(shape) / (length * length) * (length * (length + 1) / 2);
}

LedgerOp softmax_op(Pass pass, const LedgerShape& shape, std::int64_t size, Softmax form,
                    std::int64_t each) {
  const Operands in(pass == Pass::forward ? 1 : 2, Operand{shape, size});
  const std::int64_t work = counted(shape, form);
  LedgerOp result = op("softmax", pass, in, {{shape, size}}, (each + (form.scale ? 1 : 0)) * work);
  result.bytes = static_cast<std::int64_t>(in.size()) * work * size + elements(shape) * size;
  return result;
}

}  // namespace

std::int64_t elements(const LedgerShape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t elements(const Operands& operands) {
  std::int64_t sum = 0;
  for (const Operand& operand : operands) sum += elements(operand.shape) * operand.count;
  return sum;
}

std::int64_t bytes(const Operands& operands) {
  std::int64_t sum = 0;
  for (const Operand& operand : operands) {
    sum += elements(operand.shape) * operand.size * operand.count;
  }
  return sum;
}

LedgerShape join(LedgerShape shape, std::int64_t last) {
  shape.push_back(last);
  return shape;
}

LedgerOp op(std::string word, Pass pass, const Operands& in, const Operands& out,
            std::int64_t flops) {
  LedgerOp result;
  result.op = std::move(word);
  result.direction = direction(pass);
  result.inputs = shapes(in);
  result.outputs = shapes(out);
  result.flops = flops;
  result.bytes = bytes(in) + bytes(out);
  return result;
}

LedgerOp relu(const LedgerShape& shape, std::int64_t size) {
  return op("relu", Pass::forward, {{shape, size}}, {{shape, size}}, elements(shape));
}

LedgerOp relu_backward(const LedgerShape& shape, std::int64_t size) {
  return op("relu", Pass::backward, {{shape, size, 2}}, {{shape, size}}, elements(shape));
}

LedgerOp tanh(const LedgerShape& shape, std::int64_t size) {
  return op("tanh", Pass::forward, {{shape, size}}, {{shape, size}}, elements(shape));
}

// g (1 - y^2)
LedgerOp tanh_backward(const LedgerShape& shape, std::int64_t size) {
  return op("tanh", Pass::backward, {{shape, size, 2}}, {{shape, size}}, 3 * elements(shape));
}

// x / 2 (1 + erf(x c)), or the longer tanh form
LedgerOp gelu(const LedgerShape& shape, std::int64_t size, Gelu form) {
  Operands in = {{shape, size}};
  if (form.bias) in.push_back({{shape.back()}, size});
  const std::int64_t each = (form.tanh_form ? 9 : 5) + (form.bias ? 1 : 0);
  return op("gelu", Pass::forward, in, {{shape, size}}, each * elements(shape));
}

LedgerOp gelu_backward(const LedgerShape& shape, std::int64_t size, Gelu form) {
  Operands in = {{shape, size, 2}};
  Operands out = {{shape, size}};
  if (form.bias) in.push_back({{shape.back()}, size});
  if (form.dbias) out.push_back({{shape.back()}, size});
  const std::int64_t each = (form.tanh_form ? 18 : 11) + (form.bias ? 1 : 0) + (form.dbias ? 1 : 0);
  return op("gelu", Pass::backward, in, out, each * elements(shape));
}

LedgerOp add(Pass pass, const Operands& in, const Operands& out) {
  return binary("add", pass, in, out, 0);
}
LedgerOp sub(Pass pass, const Operands& in, const Operands& out) {
  return binary("sub", pass, in, out, 0);
}
LedgerOp rsub(Pass pass, const Operands& in, const Operands& out) {
  return binary("rsub", pass, in, out, 0);
}
LedgerOp mul(Pass pass, const Operands& in, const Operands& out) {
  return binary("mul", pass, in, out, 1);
}
LedgerOp div(Pass pass, const Operands& in, const Operands& out) {
  return binary("div", pass, in, out, 2);
}

// Maximum, subtract, exp, add, divide.
LedgerOp softmax(const LedgerShape& shape, std::int64_t size, Softmax form) {
  return softmax_op(Pass::forward, shape, size, form, 5);
}

// (g - sum(g y)) y
LedgerOp softmax_backward(const LedgerShape& shape, std::int64_t size, Softmax form) {
  return softmax_op(Pass::backward, shape, size, form, 4);
}

// Compare and scale; random numbers are not counted.
LedgerOp dropout(const LedgerShape& shape, std::int64_t size) {
  return op("dropout", Pass::forward, {{shape, size}}, {{shape, size}, {shape, kBool}},
            2 * elements(shape));
}

LedgerOp dropout_backward(const LedgerShape& shape, std::int64_t size) {
  return op("dropout", Pass::backward, {{shape, size}, {shape, kBool}}, {{shape, size}},
            2 * elements(shape));
}

LedgerOp layer_norm(const Norm& n) {
  const Operand x = {join(n.tokens, n.width), n.size};
  const Operand parameters = {{n.width}, n.size, 2};
  const Operand statistics = {{elements(n.tokens)}, kFloat, 2};
  return op("layer_norm", Pass::forward, {x, parameters}, {x, statistics}, 8 * elements(x.shape));
}

LedgerOp layer_norm_backward(const Norm& n, NormAccumulate accumulate) {
  const Operand x = {join(n.tokens, n.width), n.size};
  const Operand weight = {{n.width}, n.size};
  const Operand gradients = {{n.width}, n.size, 2};
  const Operand statistics = {{elements(n.tokens)}, kFloat, 2};
  Operands in = {x, x, statistics, weight};
  if (accumulate.dx) in.push_back(x);
  if (accumulate.parameters) in.push_back(gradients);
  return op("layer_norm", Pass::backward, in, {x, gradients}, 14 * elements(x.shape));
}

LedgerOp add_layer_norm(const Norm& n) {
  const LedgerShape shape = join(n.tokens, n.width);
  const Operand both = {shape, n.size, 2};  // read: x and residual; written: sum and y
  const Operand parameters = {{n.width}, n.size, 2};
  const Operand statistics = {{elements(n.tokens)}, kFloat, 2};
  return op("add_layer_norm", Pass::forward, {both, parameters}, {both, statistics},
            9 * elements(shape));
}

LedgerOp sum(Pass pass, const Operands& in, const Operand& out) {
  return op("sum", pass, in, {out}, elements(in));
}

// A square and an addition for each element, a root for each result.
LedgerOp norm(Pass pass, const Operands& in, const Operand& out) {
  return op("norm", pass, in, {out}, 2 * elements(in) + elements(out.shape));
}

}  // namespace ref::ledger
