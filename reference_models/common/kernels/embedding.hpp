// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Embedding lookup and its gradient. The gradient is dense (every row of the table) and
// deterministic: the looked-up indices are sorted, so that samples that share a row are adjacent,
// and each run of equal indices is summed by one warp and written once. T is float, __half or
// __nv_bfloat16; sums are float.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cpu_tensor.hpp"
#include "common/device_buffer.hpp"

namespace ref {

/// out[i] = table[indices[i]], rows of `dim` elements; dim is a multiple of 16 bytes' worth.
template <typename T>
void embedding(cudaStream_t stream, const std::int32_t* indices, const T* table, T* out, int count,
               int dim);

class EmbeddingGradientScratch;

/// dtable[r] = sum of dout[i] over the i with indices[i] == r, for the rows that occur; others are
/// left as they are, so zero the gradient first. With `accumulate` the sum is added to the old
/// value. Row i of dout begins at i * dout_pitch elements. dim, dout_pitch: multiples of 16 bytes'
/// worth.
template <typename T>
void embedding_gradient(cudaStream_t stream, const std::int32_t* indices, const T* dout,
                        std::int64_t dout_pitch, T* dtable, std::int64_t table_rows, int count,
                        int dim, EmbeddingGradientScratch& scratch, bool accumulate = false);

/// Scratch for embedding_gradient of up to `count` indices into tables of up to `table_rows` rows;
/// one buffer may serve many tables in turn on one stream.
class EmbeddingGradientScratch {
 public:
  EmbeddingGradientScratch(int count, std::int64_t table_rows);

 private:
  template <typename T>
  friend void embedding_gradient(cudaStream_t, const std::int32_t*, const T*, std::int64_t, T*,
                                 std::int64_t, int, int, EmbeddingGradientScratch&, bool);

  DeviceBuffer<std::int32_t> iota_;        // 0, 1, 2, ...: the samples before sorting
  DeviceBuffer<std::int32_t> keys_;        // indices, sorted
  DeviceBuffer<std::int32_t> samples_;     // the sample of each sorted index
  DeviceBuffer<std::uint8_t> is_head_;     // 1 where a run of equal indices begins
  DeviceBuffer<std::int32_t> heads_;       // where the runs begin
  DeviceBuffer<std::int32_t> head_count_;  // 1 element
  DeviceBuffer<std::uint8_t> cub_;
};

namespace cpu {
inline Tensor embedding(const std::vector<std::int64_t>& indices, const Tensor& table,
                        std::size_t dim) {
  Tensor out;
  for (const std::int64_t index : indices) {
    const auto begin = table.begin() + index * static_cast<std::ptrdiff_t>(dim);
    out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(dim));
  }
  return out;
}
inline Tensor embedding_gradient(const std::vector<std::int64_t>& indices, const Tensor& dout,
                                 std::size_t table_size, std::size_t dim) {
  Tensor dtable(table_size);
  for (std::size_t i = 0; i < dout.size(); ++i) {
    dtable[static_cast<std::size_t>(indices[i / dim]) * dim + i % dim] += dout[i];
  }
  return dtable;
}
}  // namespace cpu

}  // namespace ref
