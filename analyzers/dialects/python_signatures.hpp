// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How PyTorch's Python functions take their arguments: which parameter a positional argument or a
// keyword is, and the value of one that was not passed. Facts of torch 1.x to 2.11, as rows in
// python_signatures.inc; functions without a row take the arguments of the ATen op of their name.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libprof/model/tensor.hpp"

namespace prof::dialects {

/// One argument of a call as its marker states it.
struct PythonArgument {
  enum class Kind : std::uint8_t { kNone, kTensor, kValue };
  std::string_view keyword;  ///< Empty: passed by position.
  Kind kind = Kind::kNone;
  Tensor tensor;
  AttrValue value;  ///< For a list: its numbers with commas between.
};

/// Adds the arguments to `op` as its model knows them: tensors with names and roles, values as
/// attributes. An op whose arguments no signature of the function takes gets none of them: what it
/// computes is not known.
void take_arguments(const std::vector<PythonArgument>& arguments, OpDesc& op);

}  // namespace prof::dialects
