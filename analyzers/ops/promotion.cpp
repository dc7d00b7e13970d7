// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/promotion.hpp"

#include <optional>
#include <utility>

namespace prof::ops {
namespace {

enum class Category : std::uint8_t { kBool, kInteger, kFloat, kComplex };

std::optional<Category> category(DType dtype) {
  if (dtype == DType::kBool) return Category::kBool;
  if (is_integer(dtype)) return Category::kInteger;
  if (dtype == DType::kComplex64 || dtype == DType::kComplex128) return Category::kComplex;
  const bool promotes = dtype == DType::kFloat16 || dtype == DType::kBFloat16 ||
                        dtype == DType::kFloat32 || dtype == DType::kFloat64;
  return promotes ? std::optional(Category::kFloat) : std::nullopt;
}

/// Python's numbers are of these types until an operand decides.
bool may_be_number(DType dtype) {
  return dtype == DType::kFloat64 || dtype == DType::kInt64 || dtype == DType::kComplex128;
}

}  // namespace

bool is_floating(DType dtype) { return dtype >= DType::kFloat8E4M3; }

bool is_integer(DType dtype) { return dtype >= DType::kBool && dtype <= DType::kInt64; }

DType promoted(DType one, DType other) {
  if (one == other) return one;
  auto first = category(one);
  auto second = category(other);
  if (!first || !second) return DType::kUnknown;
  if (*first < *second) {
    std::swap(one, other);
    std::swap(first, second);
  }
  if (*first != *second) {
    // The type of the higher category, with the precision of the other one.
    const bool widens = one == DType::kComplex64 && other == DType::kFloat64;
    return widens ? DType::kComplex128 : one;
  }
  const auto size = size_bytes(one);
  const auto other_size = size_bytes(other);
  if (size != other_size) {
    const DType larger = size > other_size ? one : other;
    return larger;
  }
  return *first == Category::kFloat ? DType::kFloat32
                                    : DType::kInt16;  // 8 bits with and without sign
}

DType promoted_inputs(const OpDesc& op) {
  std::optional<DType> with_dimensions;
  std::optional<DType> scalar;
  bool scalars_differ = false;
  for (const Tensor& tensor : op.tensors) {
    if (tensor.role == Tensor::Role::kOut) continue;
    if (tensor.name == "condition" || tensor.name == "mask") continue;
    auto& result = tensor.shape.empty() ? scalar : with_dimensions;
    if (tensor.shape.empty() && scalar && *scalar != tensor.dtype) scalars_differ = true;
    result = result ? promoted(*result, tensor.dtype) : tensor.dtype;
  }
  if (!scalar) return with_dimensions.value_or(DType::kUnknown);
  if (!with_dimensions) return scalars_differ && may_be_number(*scalar) ? DType::kUnknown : *scalar;
  const auto decided = category(*with_dimensions);
  const auto brought = category(*scalar);
  // A number takes no part in the type unless it is of a higher category.
  if (decided && brought && *brought <= *decided) return *with_dimensions;
  if (!decided || !brought) return *with_dimensions == *scalar ? *scalar : DType::kUnknown;
  const bool is_ambiguous = *brought != Category::kInteger && may_be_number(*scalar);
  return is_ambiguous ? DType::kUnknown : promoted(*with_dimensions, *scalar);
}

}  // namespace prof::ops
