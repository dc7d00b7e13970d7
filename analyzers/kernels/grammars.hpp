// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How families encode in a name what a matrix-product kernel is built for: one function for each
// grammar (families.hpp). They read what is there and leave the rest unset; the input may be any
// bytes. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "analyzers/kernels/families.hpp"
#include "analyzers/model/attribution.hpp"

namespace prof::kernels {

/// Facts from a kernel's name; the fields are those of KernelFacts.
struct NameFacts {
  std::optional<BlockShape> tile, cluster, instruction;
  DType operand = DType::kUnknown;
  DType accumulator = DType::kUnknown;
  DType output = DType::kUnknown;
  std::optional<bool> split_k;
  std::string_view layout;
  /// The grammar has read all dtypes: similar words elsewhere in the name mean something else.
  bool dtypes_known = false;
};

NameFacts read_nvjet(std::string_view name);
NameFacts read_xmma(std::string_view name);
NameFacts read_core(std::string_view name);
NameFacts read_aligned(std::string_view name);
NameFacts read_tile(std::string_view name);
NameFacts read_trtllm_gemm(std::string_view name);
NameFacts read_templates(std::string_view name);
NameFacts read_flash_traits(std::string_view name);
NameFacts read_pointers(std::string_view name);

/// Reads the name with the family's grammar; nothing for kNone. `demangled` is the full name.
NameFacts read_name(Grammar grammar, std::string_view demangled);

}  // namespace prof::kernels
