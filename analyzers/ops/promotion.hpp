// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The element type of a result of operands of several types, by PyTorch's rules of promotion. Pure.
#pragma once

#include "libprof/model/tensor.hpp"

namespace prof::ops {

bool is_floating(DType dtype);
/// Bools are integers of one bit.
bool is_integer(DType dtype);

/// The promoted type of two tensors with dimensions. kUnknown: one is not known, or they do not
/// promote.
DType promoted(DType one, DType other);

/// The promoted type of all inputs except conditions and masks. A tensor without dimensions counts
/// only if it is of a higher category (complex, float, integer, bool). kUnknown also where that
/// depends on whether it is a tensor or a Python number, which PyTorch states the same way.
DType promoted_inputs(const OpDesc& op);

}  // namespace prof::ops
