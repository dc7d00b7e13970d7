// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which gradient of a linear layer a backward op computes, judged by its shapes. Pure functions.
#pragma once

#include "analyzers/ops/op_model.hpp"

namespace prof {

/// `forward` is what a model states about the forward op, `backward` about the op in its backward
/// node. kNone if the forward op is not a linear layer, or if the shapes fit more than one answer.
Part product_part(const ops::OpFacts& forward, const OpDesc& forward_op,
                  const ops::OpFacts& backward, const OpDesc& backward_op);

}  // namespace prof
