// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The operands of an op, according to its launch or a dialect: tensors with role, dtype and shape.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace prof {

/// Torch's dtype names without "torch.".
enum class DType : std::uint8_t {
  kUnknown,
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat8E4M3,
  kFloat8E5M2,
  kFloat8E4M3Fnuz,  ///< This type and the next are AMD's.
  kFloat8E5M2Fnuz,
  kFloat8E8M0,  ///< A power of 2: the scale of a block.
  kFloat16,
  kBFloat16,
  kFloat32,
  kTFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kFloat4E2M1,  ///< Torch's float4_e2m1fn_x2: one element of a tensor is a pair, in one byte.
};

/// A type for products, whose two operands may have different ones.
constexpr bool is_float8(DType dtype) {
  return dtype >= DType::kFloat8E4M3 && dtype <= DType::kFloat8E5M2Fnuz;
}

/// Size of one element in bytes; nullopt for kUnknown.
std::optional<std::uint64_t> size_bytes(DType dtype);
/// "float16", ...; "" for kUnknown.
std::string_view name(DType dtype);
/// kUnknown if the word is not a dtype.
DType parse_dtype(std::string_view word);

using Shape = std::vector<std::int64_t>;

/// Product of the dimensions; 1 for a scalar (empty shape).
std::uint64_t element_count(const Shape& shape);

struct Tensor {
  enum class Role : std::uint8_t { kIn, kOut, kInOut };
  std::string name;
  Role role = Role::kIn;
  DType dtype = DType::kUnknown;
  Shape shape;
  /// Shares its memory with an earlier operand: its bytes count once.
  bool is_repeated = false;
  /// Elements in memory, where a view (expanded, or of overlapping windows) has fewer than its
  /// shape.
  std::optional<double> distinct = {};
};

using AttrValue = std::variant<bool, std::int64_t, double, std::string>;

enum class Direction : std::uint8_t { kNone, kFprop, kBprop, kUpdate };
enum class Part : std::uint8_t { kNone, kData, kWeight, kBias };

std::string_view name(Direction direction);  ///< "fprop", "bprop", "update"; "" for kNone.
std::string_view name(Part part);            ///< "data", "weight", "bias"; "" for kNone.
std::optional<Part> parse_part(std::string_view word);  ///< Nullopt for any other word.

/// One op as a range text describes it: derived from the text alone, so equal for equal texts.
struct OpDesc {
  std::string module;  ///< "prof", "torch.nn.functional", ...
  std::string op;
  Direction direction = Direction::kNone;
  Part part = Part::kNone;
  std::vector<Tensor> tensors;
  std::map<std::string, AttrValue, std::less<>> attrs;
};

}  // namespace prof
