// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products and biases of ledger_ops.hpp. M, N, K are those of the column-major call: a
// row-major result of R rows and C columns is M = C, N = R.
#include "common/ledger_ops.hpp"

namespace ref::ledger {
namespace {

// 9 operations for the tanh form of GELU, 18 for its gradient.
constexpr std::int64_t kGelu = 9;
constexpr std::int64_t kGeluGradient = 18;

std::int64_t product_flops(const LedgerGemm& gemm) {
  return 2 * gemm.m * gemm.n * *gemm.k * gemm.batch;
}

LedgerOp product(std::string word, Pass pass, const Operands& in, const Operands& out,
                 const LedgerGemm& gemm, std::int64_t epilogue_flops) {
  LedgerOp result = op(std::move(word), pass, in, out, product_flops(gemm) + epilogue_flops);
  result.gemm = gemm;
  result.calls_library = true;
  return result;
}

}  // namespace

LedgerOp linear(const Dense& d, Epilogue epilogue) {
  const std::int64_t tokens = elements(d.tokens);
  const std::int64_t results = tokens * d.out;
  const LedgerShape y = join(d.tokens, d.out);
  Operands in = {{join(d.tokens, d.in), d.size}, {{d.out, d.in}, d.size}};
  Operands out = {{y, d.size}};
  if (epilogue.bias) in.push_back({{d.out}, d.size});
  if (epilogue.aux) out.push_back({y, d.size});
  return product("linear", Pass::forward, in, out, {d.out, tokens, d.in},
                 (epilogue.bias ? results : 0) + (epilogue.gelu ? kGelu * results : 0));
}

LedgerOp linear_data_gradient(const Dense& d, bool dgelu) {
  const std::int64_t tokens = elements(d.tokens);
  const LedgerShape dx = join(d.tokens, d.in);
  Operands in = {{join(d.tokens, d.out), d.size}, {{d.out, d.in}, d.size}};
  if (dgelu) in.push_back({dx, d.size});
  LedgerOp result = product("linear", Pass::backward, in, {{dx, d.size}}, {d.in, tokens, d.out},
                            dgelu ? kGeluGradient * tokens * d.in : 0);
  result.part = "data";
  return result;
}

LedgerOp linear_weight_gradient(const Dense& d, bool accumulate) {
  const Operand dweight = {{d.out, d.in}, d.size};
  Operands in = {{join(d.tokens, d.out), d.size}, {join(d.tokens, d.in), d.size}};
  if (accumulate) in.push_back(dweight);
  LedgerOp result =
      product("linear", Pass::backward, in, {dweight}, {d.in, d.out, elements(d.tokens)}, 0);
  result.part = "weight";
  return result;
}

LedgerOp bias(const LedgerShape& tokens, std::int64_t width, std::int64_t size) {
  const Operand y = {join(tokens, width), size};
  LedgerOp result = op("bias", Pass::forward, {y, {{width}, size}}, {y}, elements(tokens) * width);
  result.gemm = LedgerGemm{width, elements(tokens), std::nullopt};
  return result;
}

LedgerOp bias_gradient(const LedgerShape& tokens, std::int64_t width, std::int64_t size,
                       bool accumulate) {
  const Operand dbias = {{width}, size};
  Operands in = {{join(tokens, width), size}};
  if (accumulate) in.push_back(dbias);
  LedgerOp result = op("bias", Pass::backward, in, {dbias}, elements(tokens) * width);
  result.part = "bias";
  result.gemm = LedgerGemm{width, elements(tokens), std::nullopt};
  return result;
}

LedgerOp bmm(const Batched& p, Pass pass) {
  const auto matrix = [&](std::int64_t rows, std::int64_t cols, bool transposed) {
    return Operand{transposed ? join(join(p.batch, cols), rows) : join(join(p.batch, rows), cols),
                   p.size};
  };
  LedgerOp result =
      product("bmm", pass, {matrix(p.rows, p.inner, p.trans_a), matrix(p.inner, p.cols, p.trans_b)},
              {matrix(p.rows, p.cols, false)}, {p.cols, p.rows, p.inner, elements(p.batch)}, 0);
  if (pass == Pass::backward) result.part = "data";
  return result;
}

}  // namespace ref::ledger
