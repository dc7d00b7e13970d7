// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HLO as XLA prints it (xla/hlo/ir/hlo_instruction.cc), an instruction a line:
//   ROOT dot.2 = f32[8,4]{1,0} dot(p0, p1), lhs_contracting_dims={1}, .., metadata={op_name="..."}
// Reads what describes an op, and skips the rest. Pure functions of any bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/model/attribution.hpp"
#include "libprof/model/tensor.hpp"

namespace prof::dialects {

struct HloShape {
  DType dtype = DType::kUnknown;
  Shape sizes;
  bool is_column_major = false;  ///< For a matrix: the elements of a column are adjacent.
};

/// Views of the text.
struct HloInstruction {
  std::string_view name;          ///< "fusion.3"
  std::string_view opcode;        ///< "fusion"
  std::vector<HloShape> results;  ///< Several: of a tuple.
  std::vector<std::string_view> operands;
  std::string_view attributes;  ///< The text after the operands, with commas between.
  bool is_root = false;

  /// The text in quotes after `key=` or before the next blank; empty: there is none.
  [[nodiscard]] std::string_view attribute(std::string_view key) const;
  /// "{1,2}" after `key=`.
  [[nodiscard]] std::vector<std::size_t> dimensions(std::string_view key) const;
};

/// Nullopt: the line is no instruction.
std::optional<HloInstruction> read_hlo_instruction(std::string_view line);
/// All instructions of a text.
std::vector<HloInstruction> read_hlo(std::string_view text);

/// The product that is a `dot`; nullopt: it is none, or its operands are not in `others`.
struct HloProduct {
  GemmShape gemm;
  HloShape a, b, result;
};
std::optional<HloProduct> product_of_dot(const HloInstruction& dot,
                                         const std::vector<HloInstruction>& others);

}  // namespace prof::dialects
