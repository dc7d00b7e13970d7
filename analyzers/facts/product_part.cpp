// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/product_part.hpp"

#include "analyzers/ops/registry.hpp"

namespace prof {

Part product_part(const ops::OpFacts& forward, const OpDesc& forward_op,
                  const ops::OpFacts& backward, const OpDesc& backward_op) {
  const std::string_view word = ops::canonical_word(forward_op.op);
  if (!forward.gemm || !forward.gemm->k || (word != "linear" && word != "addmm")) {
    return Part::kNone;
  }
  // Forward: y (n, m) = x (n, k) W (k, m).
  const std::int64_t m = forward.gemm->m;
  const std::int64_t n = forward.gemm->n;
  const std::int64_t k = *forward.gemm->k;
  if (ops::canonical_word(backward_op.op) == "sum") {
    const bool of_gradient = !backward_op.tensors.empty() &&
                             !backward_op.tensors.front().shape.empty() &&
                             backward_op.tensors.front().shape.back() == m;
    return of_gradient ? Part::kBias : Part::kNone;
  }
  if (!backward.gemm || !backward.gemm->k) return Part::kNone;
  const std::int64_t columns = backward.gemm->m;
  const std::int64_t rows = backward.gemm->n;
  const std::int64_t inner = *backward.gemm->k;
  const bool is_data = inner == m && rows == n && columns == k;
  const bool is_weight = inner == n && ((rows == m && columns == k) || (rows == k && columns == m));
  if (is_data == is_weight) return Part::kNone;
  return is_data ? Part::kData : Part::kWeight;
}

}  // namespace prof
