// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which gradient of a linear layer or a convolution an op in its backward node computes, judged by
// its shapes. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/ops/op_model.hpp"

namespace prof {

/// The part of the gradients that an op in a backward node computes.
enum class NodeProduct : std::uint8_t {
  kOther,   ///< No gradient that shapes show.
  kData,    ///< The gradient of the layer's input.
  kWeight,  ///< The gradient of its weight.
  kBias,    ///< The gradient of its bias, a sum.
  kEither,  ///< The data's or the weight's: its sizes fit both.
};

/// The product computed by `backward_op`, an op in the backward node of `forward_op`. The shapes
/// are those of the matrix product that each op is.
NodeProduct product_of_node(const OpDesc& forward_op, const std::optional<GemmShape>& forward,
                            const OpDesc& backward_op, const std::optional<GemmShape>& backward);

}  // namespace prof
