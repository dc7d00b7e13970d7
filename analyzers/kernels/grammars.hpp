// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How families write what a matrix-product kernel is built for into its name: one function, in a
// file of its own, for each grammar (families.hpp). They read what is there and leave out what is
// not; any bytes may come. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "analyzers/attribution.hpp"
#include "analyzers/kernels/families.hpp"

namespace prof::kernels {

/// See KernelFacts, which has the same fields.
struct NameFacts {
  std::optional<BlockShape> tile, instruction;
  DType operand = DType::kUnknown;
  DType accumulator = DType::kUnknown;
  DType output = DType::kUnknown;
  std::optional<bool> split_k;
  std::string_view layout;
  /// The grammar has told all about dtypes: what the name has elsewhere means something else.
  bool dtypes_told = false;
};

NameFacts read_nvjet(std::string_view name);
NameFacts read_xmma(std::string_view name);
NameFacts read_core(std::string_view name);
NameFacts read_aligned(std::string_view name);
NameFacts read_tile(std::string_view name);
NameFacts read_trtllm_gemm(std::string_view name);
NameFacts read_templates(std::string_view name);
NameFacts read_flash_traits(std::string_view name);

/// By the family's grammar; nothing for kNone. `demangled` is the whole name.
NameFacts read_name(Grammar grammar, std::string_view demangled);

}  // namespace prof::kernels
