// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See position_sum.hpp.
#include "common/kernels/launch.cuh"
#include "common/kernels/position_sum.hpp"

namespace ref {
namespace {

constexpr int kTokenPack = 8;

__global__ void embedding_with_positions_kernel(const std::int32_t* __restrict__ indices,
                                                const __nv_bfloat16* __restrict__ table,
                                                const __nv_bfloat16* __restrict__ positions,
                                                __nv_bfloat16* __restrict__ out, unsigned total,
                                                unsigned packs_per_row, unsigned tokens) {
  for (unsigned p = first_item(); p < total; p += item_stride()) {
    const unsigned row = p / packs_per_row;
    const unsigned pack = p - row * packs_per_row;
    const std::size_t from = static_cast<std::size_t>(indices[row]) * packs_per_row + pack;
    const std::size_t position = std::size_t{row % tokens} * packs_per_row + pack;
    Pack<__nv_bfloat16, kTokenPack> value = load<kTokenPack>(table, from * kTokenPack);
    const Pack<__nv_bfloat16, kTokenPack> add = load<kTokenPack>(positions, position * kTokenPack);
#pragma unroll
    for (int j = 0; j < kTokenPack; ++j) {
      value.v[j] = from_float<__nv_bfloat16>(to_float(value.v[j]) + to_float(add.v[j]));
    }
    store<kTokenPack>(out, std::size_t{p} * kTokenPack, value);
  }
}

__global__ void sum_over_batch_kernel(const __nv_bfloat16* __restrict__ dout,
                                      __nv_bfloat16* __restrict__ dpositions, unsigned total,
                                      int batch) {
  for (unsigned p = first_item(); p < total; p += item_stride()) {
    float sum[kTokenPack] = {};
#pragma unroll 4
    for (int b = 0; b < batch; ++b) {
      const std::size_t from = (static_cast<std::size_t>(b) * total + p) * kTokenPack;
      const Pack<__nv_bfloat16, kTokenPack> value = load<kTokenPack>(dout, from);
#pragma unroll
      for (int j = 0; j < kTokenPack; ++j) sum[j] += to_float(value.v[j]);
    }
    Pack<__nv_bfloat16, kTokenPack> out;
#pragma unroll
    for (int j = 0; j < kTokenPack; ++j) out.v[j] = from_float<__nv_bfloat16>(sum[j]);
    store<kTokenPack>(dpositions, std::size_t{p} * kTokenPack, out);
  }
}

}  // namespace

void embedding_with_positions(cudaStream_t stream, const std::int32_t* indices,
                              const __nv_bfloat16* table, const __nv_bfloat16* positions,
                              __nv_bfloat16* out, const SequenceSizes& s) {
  const auto packs_per_row = static_cast<unsigned>(s.channels / kTokenPack);
  const unsigned total = as_index(std::size_t{packs_per_row} * s.batch * s.tokens);
  embedding_with_positions_kernel<<<blocks_for(total), kThreads, 0, stream>>>(
      indices, table, positions, out, total, packs_per_row, static_cast<unsigned>(s.tokens));
  check_launch();
}

void sum_over_batch(cudaStream_t stream, const __nv_bfloat16* dout, __nv_bfloat16* dpositions,
                    const SequenceSizes& s) {
  const unsigned total = as_index(static_cast<std::size_t>(s.channels / kTokenPack) * s.tokens);
  sum_over_batch_kernel<<<blocks_for(total), kThreads, 0, stream>>>(dout, dpositions, total,
                                                                    s.batch);
  check_launch();
}

}  // namespace ref
