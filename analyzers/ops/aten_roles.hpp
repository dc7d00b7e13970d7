// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The roles of PyTorch's operators, by their words. Pure functions, any thread.
#pragma once

#include <string_view>

namespace prof::ops {

/// True for operators that only convert, copy, fill or rearrange: inside another operator they have
/// their own cost.
bool is_preparation(std::string_view word);

/// True for those that only write a constant.
bool is_fill(std::string_view word);

/// True for PyTorch's own operators, false for those added by libraries and programs.
bool is_aten(std::string_view word);

/// True for operators that only optimizers and gradient scalers call, whatever encloses them.
bool is_update(std::string_view word);

/// True for operators that change the tensors of lists in place, but for copies and fills: weights
/// and their moving averages, where autograd records nothing.
bool changes_lists(std::string_view word);

/// True for PyTorch's own operators that autograd has no node for: one that they call makes it.
bool is_composite(std::string_view word);

}  // namespace prof::ops
