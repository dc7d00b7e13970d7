// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout in fp16: each element is dropped with a given probability, the others are scaled up.
// Which ones are dropped is a function of seed, stream and position (common/random.hpp).
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "common/cpu_tensor.hpp"
#include "common/random.hpp"

namespace ref {

/// Which elements are kept, and their scale.
struct DropoutMask {
  std::uint64_t seed;
  std::uint64_t stream;
  std::uint32_t threshold;  ///< of 65536: the share that is left out
  float scale;              ///< 1 / (1 - probability)

  DropoutMask(float probability, std::uint64_t seed_of_all, std::uint64_t stream_of_mask)
      : seed(seed_of_all),
        stream(stream_of_mask),
        threshold(static_cast<std::uint32_t>(probability * 65536.0f)),
        scale(65536.0f / static_cast<float>(65536 - threshold)) {}

  /// Whether element i is kept. Four adjacent elements share the 64 bits of one random number.
  [[nodiscard]] bool keeps(std::uint64_t i) const {
    return (random_bits(seed, stream, i / 4) >> (16 * (i % 4)) & 0xFFFF) >= threshold;
  }
};

/// y = x * scale where the element is kept, else 0; mask (1 byte per element) says which. y may be
/// x. n elements.
void dropout(cudaStream_t stream, const __half* x, __half* y, std::uint8_t* mask, std::size_t n,
             const DropoutMask& which);

/// dx = dy * scale where mask is not 0, else 0. dx may be dy.
void dropout_backward(cudaStream_t stream, const __half* dy, const std::uint8_t* mask, __half* dx,
                      std::size_t n, float scale);

namespace cpu {
inline Tensor dropout(Tensor x, const DropoutMask& which) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] *= which.keeps(i) ? static_cast<double>(which.scale) : 0.0;
  }
  return x;
}
}  // namespace cpu

}  // namespace ref
