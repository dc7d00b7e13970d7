// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What each class of op costs, by the formulas of docs/ops.md, implemented independently: a ledger
// is useful only if it shares no code with what it is compared with. Every function returns an op
// without a layer; LedgerWriter adds that.
//
// Shapes are outermost dimension first. `size` is bytes per element. A gradient added to its old
// value (accumulate) has the same FLOPs; the old value is one more operand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ledger.hpp"

namespace ref::ledger {

// Element sizes in bytes.
constexpr std::int64_t kBool = 1;
constexpr std::int64_t kHalf = 2;  // float16 and bfloat16
constexpr std::int64_t kFloat = 4;
constexpr std::int64_t kInt32 = 4;
constexpr std::int64_t kInt64 = 8;

/// A tensor, or `count` of the same shape, that an op reads or writes.
struct Operand {
  LedgerShape shape;
  std::int64_t size = kFloat;
  std::int64_t count = 1;
};
using Operands = std::vector<Operand>;

enum class Pass { forward, backward, update };

[[nodiscard]] std::int64_t elements(const LedgerShape& shape);
[[nodiscard]] std::int64_t elements(const Operands& operands);
[[nodiscard]] std::int64_t bytes(const Operands& operands);
/// `shape` with one more dimension.
[[nodiscard]] LedgerShape join(LedgerShape shape, std::int64_t last);

/// An op that moves each operand once.
[[nodiscard]] LedgerOp op(std::string word, Pass pass, const Operands& in, const Operands& out,
                          std::int64_t flops);

// ---- Matrix products and biases (ledger_products.cpp)

/// A fully connected layer: x (tokens..., in), weight (out, in), y (tokens..., out).
struct Dense {
  LedgerShape tokens;
  std::int64_t in;
  std::int64_t out;
  std::int64_t size = kHalf;
};
/// What else the forward product's kernel does.
struct Epilogue {
  bool bias = false;
  bool gelu = false;  // tanh form
  bool aux = false;   // also writes what went into the GELU
};
[[nodiscard]] LedgerOp linear(const Dense& dense, Epilogue epilogue = {});
/// dx; with `dgelu` times the GELU's gradient at the aux operand, of dx's shape.
[[nodiscard]] LedgerOp linear_data_gradient(const Dense& dense, bool dgelu = false);
[[nodiscard]] LedgerOp linear_weight_gradient(const Dense& dense, bool accumulate = false);

/// y (tokens..., width) += bias, in place.
[[nodiscard]] LedgerOp bias(const LedgerShape& tokens, std::int64_t width,
                            std::int64_t size = kHalf);
[[nodiscard]] LedgerOp bias_gradient(const LedgerShape& tokens, std::int64_t width,
                                     std::int64_t size = kHalf, bool accumulate = false);

/// out (batch..., rows, cols) = op(a) op(b), summed over `inner`; a and b as stored.
struct Batched {
  LedgerShape batch;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t inner;
  bool trans_a = false;
  bool trans_b = false;
  std::int64_t size = kHalf;
};
[[nodiscard]] LedgerOp bmm(const Batched& product, Pass pass);

// ---- Elementwise ops and those along a row (ledger_tensor_ops.cpp)

[[nodiscard]] LedgerOp relu(const LedgerShape& shape, std::int64_t size = kHalf);
[[nodiscard]] LedgerOp relu_backward(const LedgerShape& shape, std::int64_t size = kHalf);
[[nodiscard]] LedgerOp tanh(const LedgerShape& shape, std::int64_t size = kHalf);
[[nodiscard]] LedgerOp tanh_backward(const LedgerShape& shape, std::int64_t size = kHalf);

struct Gelu {
  bool tanh_form = false;
  bool bias = false;   // added first, of the last dimension's width
  bool dbias = false;  // backward: the bias's gradient is summed in the same op
};
[[nodiscard]] LedgerOp gelu(const LedgerShape& shape, std::int64_t size = kHalf, Gelu form = {});
[[nodiscard]] LedgerOp gelu_backward(const LedgerShape& shape, std::int64_t size = kHalf,
                                     Gelu form = {});

// One operation per element forward (and in an update); backward, per gradient: none for add, sub
// and rsub, one for mul, two for div.
[[nodiscard]] LedgerOp add(Pass pass, const Operands& in, const Operands& out);
[[nodiscard]] LedgerOp sub(Pass pass, const Operands& in, const Operands& out);
[[nodiscard]] LedgerOp rsub(Pass pass, const Operands& in, const Operands& out);
[[nodiscard]] LedgerOp mul(Pass pass, const Operands& in, const Operands& out);
[[nodiscard]] LedgerOp div(Pass pass, const Operands& in, const Operands& out);

struct Softmax {
  bool scale = false;   // multiplies the input
  bool causal = false;  // row i of a square matrix uses elements 0..i; the rest is written as zeros
};
[[nodiscard]] LedgerOp softmax(const LedgerShape& shape, std::int64_t size = kHalf,
                               Softmax form = {});
[[nodiscard]] LedgerOp softmax_backward(const LedgerShape& shape, std::int64_t size = kHalf,
                                        Softmax form = {});

[[nodiscard]] LedgerOp dropout(const LedgerShape& shape, std::int64_t size = kHalf);
[[nodiscard]] LedgerOp dropout_backward(const LedgerShape& shape, std::int64_t size = kHalf);

/// x (tokens..., width); mean and rstd are one float for each row, in one dimension.
struct Norm {
  LedgerShape tokens;
  std::int64_t width;
  std::int64_t size = kHalf;
};
/// Which of a norm's gradients are accumulated instead of overwritten.
struct NormAccumulate {
  bool dx = false;
  bool parameters = false;
};
[[nodiscard]] LedgerOp layer_norm(const Norm& norm);
[[nodiscard]] LedgerOp layer_norm_backward(const Norm& norm, NormAccumulate accumulate = {});
/// sum = x + residual, and its norm.
[[nodiscard]] LedgerOp add_layer_norm(const Norm& norm);

/// A reduction may read several tensors.
[[nodiscard]] LedgerOp sum(Pass pass, const Operands& in, const Operand& out);
[[nodiscard]] LedgerOp norm(Pass pass, const Operands& in, const Operand& out);

// ---- Lookups and what only moves data (ledger_movement.cpp)

/// `indices` into a table (vocabulary, width); a position table (length, width) may be added by the
/// same kernel.
struct Embedding {
  LedgerShape indices;
  std::int64_t vocabulary;
  std::int64_t width;
  std::int64_t size = kHalf;
  std::int64_t index_size = kInt32;
  std::int64_t positions = 0;  // rows of the position table; 0: there is none
};
[[nodiscard]] LedgerOp embedding(const Embedding& table);
/// Adds to dweight.
[[nodiscard]] LedgerOp embedding_backward(const Embedding& table);

/// out = x at `indices`.
[[nodiscard]] LedgerOp index(const Operand& x, const Operand& indices, const Operand& out);
/// dx at `indices` += dout.
[[nodiscard]] LedgerOp index_backward(const Operand& dout, const Operand& indices,
                                      const Operand& dx);

[[nodiscard]] LedgerOp cast(Pass pass, const LedgerShape& shape, std::int64_t from,
                            std::int64_t to);
/// "contiguous", "permute", ...: the same elements in another order.
[[nodiscard]] LedgerOp layout(std::string word, Pass pass, const Operand& from, const Operand& to);
[[nodiscard]] LedgerOp copy(Pass pass, const Operand& x);
[[nodiscard]] LedgerOp cat(Pass pass, const Operands& in, const Operand& out);
/// "zero", "arange", "fill": written without reading.
[[nodiscard]] LedgerOp fill(std::string word, Pass pass, const Operand& out);

// ---- Losses, optimizer, collectives (ledger_training_ops.cpp)

/// Mean over all samples.
[[nodiscard]] LedgerOp bce_with_logits(std::int64_t samples);
[[nodiscard]] LedgerOp bce_with_logits_backward(std::int64_t samples);

/// x (rows..., classes), target (rows...).
struct CrossEntropy {
  LedgerShape rows;
  std::int64_t classes;
  std::int64_t size = kHalf;
  std::int64_t target_size = kInt64;
  bool mean = true;  // attr `reduction` is not "none" or "sum"
  std::int64_t loss_size = kFloat;
};
[[nodiscard]] LedgerOp cross_entropy(const CrossEntropy& loss);
[[nodiscard]] LedgerOp cross_entropy_backward(const CrossEntropy& loss);
/// One kernel for the losses (rows, as one dimension) and the gradient.
[[nodiscard]] LedgerOp cross_entropy_fused(const CrossEntropy& loss);

// Optimizer steps over `parameters` elements in all; `in` begins with the parameters.
[[nodiscard]] LedgerOp sgd(std::int64_t parameters, const Operands& in, const Operands& out);
[[nodiscard]] LedgerOp adamw(std::int64_t parameters, const Operands& in, const Operands& out);
[[nodiscard]] LedgerOp lamb(std::int64_t parameters, const Operands& in, const Operands& out);

[[nodiscard]] LedgerOp unscale(const Operand& grad, const Operand& out);
[[nodiscard]] LedgerOp multi_tensor_scale(const Operand& found_inf, const Operands& in,
                                          const Operands& out);
[[nodiscard]] LedgerOp multi_tensor_l2norm(const Operands& grads, const Operand& out);
/// A single coefficient from a single norm, both float.
[[nodiscard]] LedgerOp clip_grad_norm();
[[nodiscard]] LedgerOp all_reduce(Pass pass, const Operands& x, bool average);

}  // namespace ref::ledger
