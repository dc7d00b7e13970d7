// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything a kernel's name says (KernelFacts), combined from the name itself (kernel_name.hpp),
// the family (families.hpp), the family's grammar (grammars.hpp), and words that mean the same in
// every family (signatures.hpp). Pure function.
#pragma once

#include <string_view>

#include "analyzers/model/attribution.hpp"

namespace prof::kernels {

/// `name` as CUPTI gives it, mangled or not; any bytes.
KernelFacts facts(std::string_view name);

}  // namespace prof::kernels
