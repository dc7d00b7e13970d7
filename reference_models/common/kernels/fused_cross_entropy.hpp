// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The cross entropy of a classifier whose logits (rows, pitch) are too large to store twice: the
// gradient replaces them. Only the first `classes` columns of a row are classes; the others are
// padding, which is ignored and whose gradient is 0.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cpu_tensor.hpp"

namespace ref {

struct ClassifierSizes {
  int rows, classes, pitch;  // pitch: elements from row to row, a multiple of 8
};

/// losses[r] = -log softmax(x[r])[target[r]]; x is unchanged.
void padded_cross_entropy(cudaStream_t stream, const __nv_bfloat16* x, const std::int32_t* target,
                          float* losses, const ClassifierSizes& sizes);
/// The same, and x becomes the gradient of gradient_scale * (sum of the losses).
void padded_cross_entropy_with_gradient(cudaStream_t stream, __nv_bfloat16* x,
                                        const std::int32_t* target, float* losses,
                                        float gradient_scale, const ClassifierSizes& sizes);

/// *mean = the mean of n values, summed in a fixed order by one block.
void mean(cudaStream_t stream, const float* values, float* mean, int n);

namespace cpu {
struct PaddedCrossEntropy {
  double loss = 0;  // mean over the rows
  Tensor dx;        // of the mean
};
inline PaddedCrossEntropy padded_cross_entropy(const Tensor& x,
                                               const std::vector<std::int32_t>& target,
                                               std::size_t classes) {
  const std::size_t rows = target.size();
  const std::size_t pitch = x.size() / rows;
  PaddedCrossEntropy out{0, Tensor(x.size())};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t begin = r * pitch;
    double largest = -INFINITY;
    for (std::size_t c = 0; c < classes; ++c) largest = std::max(largest, x[begin + c]);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(x[begin + c] - largest);
    const auto wanted = static_cast<std::size_t>(target[r]);
    out.loss -= (x[begin + wanted] - largest - std::log(sum)) / static_cast<double>(rows);
    for (std::size_t c = 0; c < classes; ++c) {
      const double p = std::exp(x[begin + c] - largest) / sum;
      out.dx[begin + c] = (p - (c == wanted ? 1 : 0)) / static_cast<double>(rows);
    }
  }
  return out;
}
}  // namespace cpu

}  // namespace ref
