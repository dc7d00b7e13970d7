// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See gather.hpp.
#include "common/kernels/gather.hpp"
#include "common/kernels/launch.cuh"

namespace ref {
namespace {

__global__ void gather_columns_kernel(const float* __restrict__ x,
                                      const std::int32_t* __restrict__ indices,
                                      float* __restrict__ out, unsigned total, unsigned width,
                                      unsigned count) {
  for (unsigned i = first_item(); i < total; i += item_stride()) {
    const unsigned row = i / count;
    out[i] = x[std::size_t{row} * width + indices[i - row * count]];
  }
}

__global__ void gather_columns_backward_kernel(const float* __restrict__ dout, unsigned dout_pitch,
                                               const std::int32_t* __restrict__ positions,
                                               float* __restrict__ dx, unsigned total,
                                               unsigned width) {
  for (unsigned i = first_item(); i < total; i += item_stride()) {
    const unsigned row = i / width;
    const std::int32_t position = positions[i - row * width];
    dx[i] = position < 0 ? 0.0f : dout[std::size_t{row} * dout_pitch + position];
  }
}

}  // namespace

void gather_columns(cudaStream_t stream, const float* x, const std::int32_t* indices, float* out,
                    int rows, int width, int count) {
  const unsigned total = as_index(static_cast<std::size_t>(rows) * count);
  gather_columns_kernel<<<blocks_for(total), kThreads, 0, stream>>>(
      x, indices, out, total, static_cast<unsigned>(width), static_cast<unsigned>(count));
  check_launch();
}

void gather_columns_backward(cudaStream_t stream, const float* dout, int dout_pitch,
                             const std::int32_t* positions, float* dx, int rows, int width) {
  const unsigned total = as_index(static_cast<std::size_t>(rows) * width);
  gather_columns_backward_kernel<<<blocks_for(total), kThreads, 0, stream>>>(
      dout, static_cast<unsigned>(dout_pitch), positions, dx, total, static_cast<unsigned>(width));
  check_launch();
}

}  // namespace ref
