// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rectified linear unit and its gradient.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// y[i] = max(y[i], 0), in place.
void relu(cudaStream_t stream, __half* y, std::size_t n);

/// dy[i] = 0 where the forward output y[i] is 0, in place.
void relu_backward(cudaStream_t stream, __half* dy, const __half* y, std::size_t n);

namespace cpu {
inline void relu(Tensor& y) {
  for (double& value : y) value = std::max(value, 0.0);
}
inline void relu_backward(Tensor& dy, const Tensor& y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(y[i] > 0)) dy[i] = 0;
  }
}
}  // namespace cpu

}  // namespace ref
