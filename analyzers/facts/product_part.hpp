// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which gradient of a linear layer or a convolution an op in its backward node computes, judged by
// its shapes. Pure functions.
#pragma once

#include <cstdint>

#include "analyzers/ops/op_model.hpp"

namespace prof {

/// What an op in a backward node computes.
enum class NodeProduct : std::uint8_t {
  kOther,   ///< No gradient that shapes tell.
  kData,    ///< The gradient of the layer's input.
  kWeight,  ///< That of its weight.
  kBias,    ///< That of its bias, a sum.
  kEither,  ///< The data's or the weight's: its sizes fit both.
};

/// `forward` is what a model states about the forward op, `backward` about the op in its backward
/// node.
NodeProduct product_of_node(const ops::OpFacts& forward, const OpDesc& forward_op,
                            const ops::OpFacts& backward, const OpDesc& backward_op);

}  // namespace prof
