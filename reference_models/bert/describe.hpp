// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Shorthand for this model's op annotations, in which nearly all tensors are fp16.
#pragma once

#include <array>
#include <initializer_list>
#include <prof/annotate.hpp>

namespace ref {

constexpr auto kHalf = prof::DType::float16;
constexpr auto kFloat = prof::DType::float32;
constexpr auto kIndex = prof::DType::int32;

/// A shape with extra trailing dimensions.
[[nodiscard]] inline prof::Dims join(const prof::Dims& shape,
                                     std::initializer_list<std::int64_t> more) {
  std::array<std::int64_t, prof::Dims::kMaxRank> sizes{};
  std::size_t rank = 0;
  for (std::size_t i = 0; i < shape.rank(); ++i) sizes[rank++] = shape[i];
  for (const std::int64_t size : more) sizes[rank++] = size;
  return prof::Dims::from(sizes.data(), rank);
}

/// y = f(x), both of the same shape.
[[nodiscard]] inline prof::OpBuilder unary(const char* name, const prof::Dims& shape) {
  return prof::op(name).fprop().in("x", shape, kHalf).out("y", shape, kHalf);
}

/// out = a + b, all of the same shape.
[[nodiscard]] inline prof::OpBuilder sum_of(const prof::Dims& shape) {
  return prof::op("add").in("a", shape, kHalf).in("b", shape, kHalf).out("out", shape, kHalf);
}

/// Makes a transposed view of this shape dense.
[[nodiscard]] inline prof::OpBuilder contiguous(const prof::Dims& shape) {
  return prof::op("contiguous").in("x", shape, kHalf).out("y", shape, kHalf);
}

}  // namespace ref
