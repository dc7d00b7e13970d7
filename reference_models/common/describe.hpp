// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Shorthand for annotations: the descriptions of ops that several layers have, and scopes around a
// call.
#pragma once

#include <initializer_list>
#include <prof/annotate.hpp>

namespace ref {

constexpr auto kHalf = prof::DType::float16;
constexpr auto kBfloat16 = prof::DType::bfloat16;
constexpr auto kFloat = prof::DType::float32;
constexpr auto kIndex = prof::DType::int32;

/// Calls `work` inside a layer or as an op, and returns what it returns.
template <typename Work>
decltype(auto) within(const prof::LayerText& text, Work&& work) {
  const prof::Layer layer(text);
  return work();
}
template <typename Work>
decltype(auto) within(const prof::OpText& text, Work&& work) {
  const prof::Op op(text);
  return work();
}
template <typename Work>
decltype(auto) within(const prof::LayerText& layer_text, const prof::OpText& text, Work&& work) {
  const prof::Layer layer(layer_text);
  const prof::Op op(text);
  return work();
}

/// Elements of a tensor of this shape.
[[nodiscard]] std::int64_t elements(const prof::Dims& shape);
/// A shape with one more dimension, the last.
[[nodiscard]] prof::Dims join(const prof::Dims& shape, std::int64_t last);

/// A tensor by the name that the op has for it.
struct NamedShape {
  const char* name;
  prof::Dims shape;
};
using NamedShapes = std::initializer_list<NamedShape>;
/// Adds what an op reads and writes, all of one type.
[[nodiscard]] prof::OpBuilder describe(prof::OpBuilder op, prof::DType type, NamedShapes in,
                                       NamedShapes out);

/// y = f(x), both of the same shape.
[[nodiscard]] prof::OpBuilder unary(const char* name, const prof::Dims& shape,
                                    prof::DType type = kHalf);
/// Its gradient from dy and y.
[[nodiscard]] prof::OpBuilder unary_gradient(const char* name, const prof::Dims& shape,
                                             prof::DType type = kHalf);
/// out = a + b, all of the same shape and fp16.
[[nodiscard]] prof::OpBuilder sum_of(const prof::Dims& shape);
/// y = x in another type. `op` is "to" in some direction.
[[nodiscard]] prof::OpBuilder cast_of(prof::OpBuilder op, const prof::Dims& shape, prof::DType from,
                                      prof::DType to);
/// dweight (rows, width) += dout (indices..., width) at `indices`.
[[nodiscard]] prof::OpBuilder embedding_gradient_of(const prof::Dims& indices, std::int64_t rows,
                                                    std::int64_t width, prof::DType type);

/// A fully connected layer: x (tokens..., in), weight (out, in), y (tokens..., out).
struct LinearShape {
  prof::Dims tokens;
  std::int64_t in, out;
  prof::DType type = kHalf;
};
/// What else the products' kernels do.
struct LinearFusion {
  bool bias = false;        // forward: y = x W^T + b
  bool gelu = false;        // forward: then y = gelu(y), and what GELU took is kept
  bool dgelu = false;       // backward: dx is multiplied with the derivative of the GELU before
  bool accumulate = false;  // gradients of parameters are added to
};
struct LinearTexts {
  explicit LinearTexts(const LinearShape& shape, const LinearFusion& fusion = {});
  prof::OpText product, bias;  // bias: an op of its own
  prof::OpText data_gradient, weight_gradient, bias_gradient;
};

/// Layer norm of x (tokens..., width), alone or of a sum.
struct NormTexts {
  NormTexts(const prof::Dims& tokens, std::int64_t width, prof::DType type, bool accumulate);
  prof::OpText forward, forward_sum, backward;
};

}  // namespace ref
