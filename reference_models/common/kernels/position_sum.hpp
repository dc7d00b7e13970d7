// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Embeddings of tokens and of their positions, added in one kernel, and the gradient of the
// positions' table. For the gradient of the tokens' table see embedding.hpp.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "common/cpu_tensor.hpp"

namespace ref {

struct SequenceSizes {
  int batch, tokens, channels;  // channels: a multiple of 8
};

/// out[b][t] = table[indices[b][t]] + positions[t], rows of `channels` elements.
void embedding_with_positions(cudaStream_t stream, const std::int32_t* indices,
                              const __nv_bfloat16* table, const __nv_bfloat16* positions,
                              __nv_bfloat16* out, const SequenceSizes& sizes);

/// dpositions[t] = sum over b of dout[b][t].
void sum_over_batch(cudaStream_t stream, const __nv_bfloat16* dout, __nv_bfloat16* dpositions,
                    const SequenceSizes& sizes);

namespace cpu {
inline Tensor sum_over_batch(const Tensor& dout, std::size_t batch) {
  Tensor sum(dout.size() / batch);
  for (std::size_t i = 0; i < dout.size(); ++i) sum[i % sum.size()] += dout[i];
  return sum;
}
}  // namespace cpu

}  // namespace ref
