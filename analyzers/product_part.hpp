// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which gradient of a linear layer a backward op computes, by its shapes. Pure functions.
#pragma once

#include "analyzers/ops/op_model.hpp"

namespace prof {

/// `forward` is what a model says of the forward op, `backward` of the op in its backward node.
/// kNone where the forward op is no linear layer, or where shapes fit more than one answer.
Part product_part(const ops::OpFacts& forward, const OpDesc& forward_op,
                  const ops::OpFacts& backward, const OpDesc& backward_op);

}  // namespace prof
