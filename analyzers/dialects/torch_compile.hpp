// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranges that torch.compile writes about itself. They are neither layers of the model nor ops:
// what they call is. Pure.
#pragma once

#include <string_view>

namespace prof::dialects {

/// A name that no program gives its own ranges.
bool is_compiler_range(std::string_view name);

/// True for those compiler ranges in which compiled code runs, rather than the code around it.
bool runs_compiled_code(std::string_view name);

/// The name of a phase of compiling: a plain word, which is PyTorch's only in a record function.
bool is_compiler_phase(std::string_view name);

/// The autograd function that calls compiled code. Its ops count as ops of their own.
bool is_compiled_function(std::string_view name);

}  // namespace prof::dialects
