// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The meaning of words in a kernel's name that is the same in all families: tensor core use,
// element type. The rules are data in signatures.inc: a new GPU or library adds rows there. Pure
// functions.
#pragma once

#include <string_view>

#include "analyzers/model/attribution.hpp"

namespace prof::kernels {

/// Tensor core use by the full demangled name: many libraries encode it in template arguments.
TensorCore tensor_core(std::string_view demangled);

/// The element type of the operands, kUnknown if the name does not say. For families without a
/// grammar (grammars.hpp).
DType operand_dtype(std::string_view demangled);

}  // namespace prof::kernels
