// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The words and sizes of dtypes, directions and parts.
#include "libprof/model/tensor.hpp"

#include <array>
#include <limits>

namespace prof {
namespace {

struct DTypeInfo {
  std::string_view word;
  std::uint8_t bytes;
};

// In the order of DType. A TFloat32 is stored in 32 bits, however many a tensor core uses.
constexpr std::array kDTypes = {DTypeInfo{"", 0},
                                DTypeInfo{"bool", 1},
                                DTypeInfo{"uint8", 1},
                                DTypeInfo{"int8", 1},
                                DTypeInfo{"int16", 2},
                                DTypeInfo{"int32", 4},
                                DTypeInfo{"int64", 8},
                                DTypeInfo{"float8_e4m3fn", 1},
                                DTypeInfo{"float8_e5m2", 1},
                                DTypeInfo{"float8_e4m3fnuz", 1},
                                DTypeInfo{"float8_e5m2fnuz", 1},
                                DTypeInfo{"float8_e8m0fnu", 1},
                                DTypeInfo{"float16", 2},
                                DTypeInfo{"bfloat16", 2},
                                DTypeInfo{"float32", 4},
                                DTypeInfo{"tfloat32", 4},
                                DTypeInfo{"float64", 8},
                                DTypeInfo{"complex64", 8},
                                DTypeInfo{"complex128", 16},
                                DTypeInfo{"float4_e2m1fn_x2", 1}};
static_assert(kDTypes.size() == static_cast<std::size_t>(DType::kFloat4E2M1) + 1);

struct Alias {
  std::string_view word;
  DType dtype;
};

// Torch's short names, which it also prints.
constexpr std::array kAliases = {Alias{"half", DType::kFloat16},
                                 Alias{"float", DType::kFloat32},
                                 Alias{"double", DType::kFloat64},
                                 Alias{"short", DType::kInt16},
                                 Alias{"int", DType::kInt32},
                                 Alias{"long", DType::kInt64},
                                 Alias{"cfloat", DType::kComplex64},
                                 Alias{"cdouble", DType::kComplex128},
                                 Alias{"float8_e4m3", DType::kFloat8E4M3}};

}  // namespace

std::optional<std::uint64_t> size_bytes(DType dtype) {
  if (dtype == DType::kUnknown) return std::nullopt;
  return kDTypes[static_cast<std::size_t>(dtype)].bytes;
}

std::string_view name(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].word; }

DType parse_dtype(std::string_view word) {
  constexpr std::string_view kTorch = "torch.";
  if (word.substr(0, kTorch.size()) == kTorch) word.remove_prefix(kTorch.size());
  if (word.empty()) return DType::kUnknown;
  for (std::size_t i = 1; i < kDTypes.size(); ++i) {
    if (kDTypes[i].word == word) return static_cast<DType>(i);
  }
  for (const Alias& alias : kAliases) {
    if (alias.word == word) return alias.dtype;
  }
  return DType::kUnknown;
}

std::uint64_t element_count(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension <= 0) return 0;
    const auto size = static_cast<std::uint64_t>(dimension);
    // Shapes come from texts; a product that overflows must not wrap to a small count.
    if (count > std::numeric_limits<std::uint64_t>::max() / size) {
      count = std::numeric_limits<std::uint64_t>::max();
      for (const std::int64_t other : shape) {
        if (other <= 0) return 0;
      }
      return count;
    }
    count *= size;
  }
  return count;
}

std::string_view name(Direction direction) {
  switch (direction) {
    case Direction::kNone:
      break;
    case Direction::kFprop:
      return "fprop";
    case Direction::kBprop:
      return "bprop";
    case Direction::kUpdate:
      return "update";
  }
  return "";
}

std::string_view name(Part part) {
  switch (part) {
    case Part::kNone:
      break;
    case Part::kData:
      return "data";
    case Part::kWeight:
      return "weight";
    case Part::kBias:
      return "bias";
  }
  return "";
}

std::optional<Part> parse_part(std::string_view word) {
  for (const Part known : {Part::kData, Part::kWeight, Part::kBias}) {
    if (name(known) == word) return known;
  }
  return std::nullopt;
}

}  // namespace prof
