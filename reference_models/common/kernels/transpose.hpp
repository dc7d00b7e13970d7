// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Exchanging the two middle dimensions of a tensor, as attention does between positions and heads.
// T is __half or __nv_bfloat16.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

/// out (a, c, b, d) = in (a, b, c, d).
template <typename T>
void swap_middle(cudaStream_t stream, const T* in, T* out, int a, int b, int c, int d);

namespace cpu {
inline Tensor swap_middle(const Tensor& in, std::size_t a, std::size_t b, std::size_t c,
                          std::size_t d) {
  Tensor out(in.size());
  for (std::size_t i = 0; i < a * b * c; ++i) {
    const std::size_t to = (i / (b * c) * c + i % c) * b + i / c % b;
    for (std::size_t j = 0; j < d; ++j) out[to * d + j] = in[i * d + j];
  }
  return out;
}
}  // namespace cpu

}  // namespace ref
