// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What part PyTorch's operators play in a program, by their words. Pure functions, any thread.
#pragma once

#include <string_view>

namespace prof::ops {

/// True for operators that only convert, copy, fill or lay out: inside another operator they have a
/// cost of their own.
bool is_preparation(std::string_view word);

/// True for PyTorch's own operators, false for those that libraries and programs add.
bool is_aten(std::string_view word);

/// True for what only optimizers and gradient scalers call, whatever is around it.
bool is_update(std::string_view word);

/// True for operators over lists of tensors, which programs seldom call but on gradients.
bool is_foreach(std::string_view word);

}  // namespace prof::ops
