// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of tensors.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// out[i] = a[i] + b[i].
void add(cudaStream_t stream, const float* a, const float* b, float* out, std::size_t n);

/// out (rows, cols), dense = a + b, whose rows begin every a_pitch and b_pitch elements.
void add_slices(cudaStream_t stream, const float* a, int a_pitch, const float* b, int b_pitch,
                float* out, int rows, int cols);

/// out = a * b for single numbers on the device.
void mul_scalars(cudaStream_t stream, const float* a, const float* b, float* out);

namespace cpu {
inline Tensor add(Tensor a, const Tensor& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
}  // namespace cpu

}  // namespace ref
