// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Picking fixed positions of every row (the lower triangle of an interaction) and its gradient.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cpu_tensor.hpp"

namespace ref {

/// out[r][i] = x[r][indices[i]]; x (rows, width), out (rows, count).
void gather_columns(cudaStream_t stream, const float* x, const std::int32_t* indices, float* out,
                    int rows, int width, int count);

/// The gradient of gather_columns: dx[r][c] = dout[r * dout_pitch + positions[c]], or 0 where
/// positions[c] is -1. `positions` is the inverse of `indices`.
void gather_columns_backward(cudaStream_t stream, const float* dout, int dout_pitch,
                             const std::int32_t* positions, float* dx, int rows, int width);

namespace cpu {
inline Tensor gather_columns(const Tensor& x, std::size_t width,
                             const std::vector<std::size_t>& indices) {
  Tensor out;
  for (std::size_t row = 0; row < x.size() / width; ++row) {
    for (const std::size_t index : indices) out.push_back(x[row * width + index]);
  }
  return out;
}
inline Tensor gather_columns_backward(const Tensor& dout, std::size_t width,
                                      const std::vector<std::size_t>& indices) {
  Tensor dx(dout.size() / indices.size() * width);
  for (std::size_t i = 0; i < dout.size(); ++i) {
    dx[i / indices.size() * width + indices[i % indices.size()]] += dout[i];
  }
  return dx;
}
}  // namespace cpu

}  // namespace ref
