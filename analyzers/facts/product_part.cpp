// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/product_part.hpp"

#include "analyzers/ops/op_catalog.hpp"
#include "analyzers/ops/op_math.hpp"

namespace prof {
namespace {

constexpr std::string_view kConvolutions =
    "convolution conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d";

/// A convolution's other gradients are products: it sums its output's gradient only for its bias.
bool sums_up_channels(const OpDesc& forward, const OpDesc& sum) {
  const Tensor* weight = ops::input_or(forward, "weight", 1);
  const Tensor* bias = ops::input(forward, "bias");
  const Tensor* dy = ops::input(sum, std::size_t{0});
  if (weight == nullptr || bias == nullptr || dy == nullptr) return false;
  return dy->shape.size() >= 2 && dy->shape.size() == weight->shape.size() &&
         bias->shape == Shape{dy->shape[1]};
}

NodeProduct of_linear(const GemmShape& forward, const GemmShape& backward) {
  // Forward: y (n, m) = x (n, k) W (k, m).
  const std::int64_t m = forward.m, n = forward.n, k = *forward.k;
  const std::int64_t columns = backward.m, rows = backward.n, inner = *backward.k;
  const bool is_data = inner == m && rows == n && columns == k;
  const bool is_weight = inner == n && ((rows == m && columns == k) || (rows == k && columns == m));
  if (is_data && is_weight) return NodeProduct::kEither;
  if (is_data) return NodeProduct::kData;
  return is_weight ? NodeProduct::kWeight : NodeProduct::kOther;
}

}  // namespace

NodeProduct product_of_node(const OpDesc& forward_op, const std::optional<GemmShape>& forward,
                            const OpDesc& backward_op, const std::optional<GemmShape>& backward) {
  const bool is_sum = ops::canonical_word(backward_op.op) == "sum";
  if (is_sum && ops::is_one_of(forward_op, kConvolutions)) {
    const bool is_bias = sums_up_channels(forward_op, backward_op);
    return is_bias ? NodeProduct::kBias : NodeProduct::kOther;
  }
  const bool is_linear = ops::is_one_of(forward_op, "linear addmm");
  if (!is_linear || !forward || !forward->k) return NodeProduct::kOther;
  if (is_sum) {
    const Tensor* dy = ops::input(backward_op, std::size_t{0});
    const bool is_of_y = dy != nullptr && !dy->shape.empty() && dy->shape.back() == forward->m;
    return is_of_y ? NodeProduct::kBias : NodeProduct::kOther;
  }
  if (!backward || !backward->k) return NodeProduct::kOther;
  return of_linear(*forward, *backward);
}

}  // namespace prof
