// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Mean cross-entropy of fp16 logits; rows without a target (negative) do not count.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cpu_tensor.hpp"

namespace ref {

/// What the backward pass needs of the forward pass; device memory of the caller.
struct CrossEntropyState {
  float* row_losses;  ///< (rows), 0 where there is no target
  float* log_sums;    ///< (rows), log of the sum of exp of the logits
  float* count;       ///< (1), of the rows with a target, at least 1
};

/// *loss = mean over the rows with a target of log_sum - logits[target]; logits (rows, classes).
void cross_entropy(cudaStream_t stream, const __half* logits, const std::int32_t* targets,
                   __half* loss, const CrossEntropyState& state, int rows, int classes);

/// dlogits = (softmax(logits) - onehot(target)) * *dloss / count, 0 where there is no target.
void cross_entropy_backward(cudaStream_t stream, const __half* logits, const std::int32_t* targets,
                            const __half* dloss, const CrossEntropyState& state, __half* dlogits,
                            int rows, int classes);

namespace cpu {
struct CrossEntropy {
  double loss;
  Tensor gradient;  // of the loss times `dloss`
};
inline CrossEntropy cross_entropy(const Tensor& logits, const std::vector<std::int32_t>& targets,
                                  double dloss) {
  const std::size_t classes = logits.size() / targets.size();
  const auto count = static_cast<double>(std::max<std::ptrdiff_t>(
      1, std::count_if(targets.begin(), targets.end(), [](auto t) { return t >= 0; })));
  CrossEntropy out{0, Tensor(logits.size())};
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] < 0) continue;
    const double* x = &logits[row * classes];
    const double largest = *std::max_element(x, x + classes);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(x[c] - largest);
    const auto target = static_cast<std::size_t>(targets[row]);
    out.loss += (largest + std::log(sum) - x[target]) / count;
    for (std::size_t c = 0; c < classes; ++c) {
      const double probability = std::exp(x[c] - largest) / sum;
      out.gradient[row * classes + c] = (probability - (c == target ? 1 : 0)) * dloss / count;
    }
  }
  return out;
}
}  // namespace cpu

}  // namespace ref
