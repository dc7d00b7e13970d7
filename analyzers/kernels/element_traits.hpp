// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts in the names of PyTorch's kernels about the elements they work on, beside the type they
// compute in: the types that a copy reads and writes, the size of elements that are only moved,
// operands that are not tensors in memory. Pure function.
#pragma once

#include <string_view>

#include "analyzers/model/attribution.hpp"

namespace prof::kernels {

ElementTraits element_traits(std::string_view demangled);

/// Operands or results of other types than the one it computes in are converted on the way.
bool converts_operands(std::string_view demangled);

}  // namespace prof::kernels
