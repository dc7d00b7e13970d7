// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's name says about it: tensor core use, element type, whether it only helps another
// kernel. The knowledge is data, in signatures.inc: a new GPU or library adds rows there. Pure
// functions.
#pragma once

#include <string_view>

#include "analyzers/attribution.hpp"

namespace prof::kernels {

/// Tensor core use by the full, demangled name: template arguments tell it for many libraries.
TensorCore tensor_core(std::string_view demangled);

/// The element type of the operands, kUnknown where the name does not tell.
DType operand_dtype(std::string_view demangled);

/// True for kernels that finish or prepare another kernel's work.
bool is_helper(std::string_view short_name);

/// All of the above from a name as CUPTI gives it.
KernelFacts facts(std::string_view name);

}  // namespace prof::kernels
