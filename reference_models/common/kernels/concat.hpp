// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Concatenation along the last dimension. Its gradient needs no kernel: consumers read slices of
// the output's gradient in place, by its row pitch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "common/cpu_tensor.hpp"

namespace ref {

constexpr int kMaxConcat = 256;  // tensors in one call; their addresses travel as kernel parameters

/// Addresses of up to kMaxConcat tensors.
struct ConcatSources {
  const float* data[kMaxConcat];
};

/// out (rows, count, width) from `count` tensors (rows, width); width is a multiple of 4.
void concat_equal(cudaStream_t stream, const ConcatSources& sources, int count, float* out,
                  int rows, int width);

/// One tensor (rows, width) of a concatenation.
struct ConcatPart {
  const float* data;
  int width;
};

/// out (rows, sum of widths) = [a | b | c].
void concat_three(cudaStream_t stream, ConcatPart a, ConcatPart b, ConcatPart c, float* out,
                  int rows);

namespace cpu {
inline Tensor concat(const std::vector<Tensor>& parts, std::size_t rows) {
  Tensor out;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Tensor& part : parts) {
      const auto width = static_cast<std::ptrdiff_t>(part.size() / rows);
      const auto begin = part.begin() + static_cast<std::ptrdiff_t>(row) * width;
      out.insert(out.end(), begin, begin + width);
    }
  }
  return out;
}
/// Columns begin..begin+width of x (rows, x.size() / rows).
inline Tensor slice(const Tensor& x, std::size_t rows, std::size_t begin, std::size_t width) {
  Tensor out;
  const std::size_t pitch = x.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) out.push_back(x[row * pitch + begin + i]);
  }
  return out;
}
}  // namespace cpu

}  // namespace ref
