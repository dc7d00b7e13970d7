// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/call_facts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace prof::collectors {
namespace {

constexpr std::uint8_t dtype_of(std::string_view name) {
  const auto* const found = std::ranges::find(kDtypeNames, name);
  return found == std::end(kDtypeNames)
             ? kUnknownDtype
             : static_cast<std::uint8_t>(found - std::begin(kDtypeNames));
}

/// Indexed by the numbers of cudaDataType.
constexpr auto kDtypes = [] {
  std::array<std::uint8_t, 34> made{};
  made.fill(kUnknownDtype);
  constexpr std::pair<int, std::string_view> kNames[] = {
      {0, "float32"},      {1, "float64"},         {2, "float16"},          {3, "int8"},
      {4, "complex64"},    {5, "complex128"},      {6, "complex32"},        {8, "uint8"},
      {10, "int32"},       {12, "uint32"},         {14, "bfloat16"},        {20, "int16"},
      {22, "uint16"},      {24, "int64"},          {26, "uint64"},          {28, "float8_e4m3fn"},
      {29, "float8_e5m2"}, {30, "float8_e8m0fnu"}, {33, "float4_e2m1fn_x2"}};
  for (const auto& [number, name] : kNames) made[static_cast<std::size_t>(number)] = dtype_of(name);
  return made;
}();

std::uint8_t dtype_of(DataType type) {
  if (type == DataType::kBool) return dtype_of("bool");
  const auto number = static_cast<std::size_t>(type);
  return number < kDtypes.size() ? kDtypes[number] : kUnknownDtype;
}

}  // namespace

void CallFacts::tensor(DataType type, std::span<const std::int64_t> sizes,
                       const std::int64_t* strides) {
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) return to_.unknown();
  to_.tensor(dtype_of(type), sizes.data(), strides, static_cast<std::uint32_t>(sizes.size()));
}

void CallFacts::vector(DataType type, std::int64_t size, std::int64_t increment) {
  if (size < 0) return to_.unknown();
  const std::int64_t stride = increment < 0 ? -increment : increment;
  to_.tensor(dtype_of(type), &size, &stride, 1);
}

void CallFacts::matrix(const Matrix& matrix) {
  // The library refuses such a call.
  if (matrix.rows < 0 || matrix.columns < 0) return to_.unknown();
  std::int64_t sizes[] = {matrix.batch.count, matrix.rows, matrix.columns};
  std::int64_t strides[] = {matrix.batch.stride, 1, matrix.ld};
  std::int64_t* dense = &sizes[1];
  if (matrix.is_transposed) {
    std::swap(strides[1], strides[2]);
    dense = &sizes[2];
  }
  if (matrix.type == DataType::kR4F) {  // An element of a tensor is a pair of such numbers.
    *dense = (*dense + 1) / 2;
    for (std::int64_t* stride : {&strides[0], &strides[matrix.is_transposed ? 1 : 2]}) {
      if (*stride != Batch::kUnknown) *stride /= 2;
    }
  }
  const bool has_batch = matrix.batch.count >= 0;
  const bool has_strides =
      matrix.ld != Batch::kUnknown && (!has_batch || matrix.batch.stride != Batch::kUnknown);
  const std::uint32_t first = has_batch ? 0 : 1;
  to_.tensor(dtype_of(matrix.type), sizes + first, has_strides ? strides + first : nullptr,
             3 - first);
}

}  // namespace prof::collectors
