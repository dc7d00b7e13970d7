// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See embedding.hpp. The only file that includes CUB, which is slow to compile.
#include "common/kernels/embedding.hpp"

#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>

#include "common/kernels/launch.cuh"

namespace ref {
namespace {

constexpr unsigned kWarp = 32;

template <typename T>
constexpr int kRowPack = 16 / static_cast<int>(sizeof(T));

template <typename T>
__global__ void embedding_kernel(const std::int32_t* __restrict__ indices,
                                 const T* __restrict__ table, T* __restrict__ out, unsigned packs,
                                 unsigned packs_per_row) {
  constexpr int kWidth = kRowPack<T>;
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    const unsigned i = p / packs_per_row;
    const std::size_t from =
        static_cast<std::size_t>(indices[i]) * packs_per_row + (p - i * packs_per_row);
    store<kWidth>(out, std::size_t{p} * kWidth, load<kWidth>(table, from * kWidth));
  }
}

__global__ void mark_heads_kernel(const std::int32_t* __restrict__ keys,
                                  std::uint8_t* __restrict__ is_head, int count) {
  const int i = static_cast<int>(first_item());
  if (i < count) is_head[i] = i == 0 || keys[i] != keys[i - 1];
}

// A stretch is the part of a row that a warp's lanes hold: 16 bytes each.
template <typename T>
constexpr int kStretch = static_cast<int>(kWarp) * kRowPack<T>;

__host__ __device__ constexpr int stretches(int dim, int width) {
  return (dim + width - 1) / width;
}

// One warp per stretch of a run of equal keys: if a table is so small that runs are long, a row's
// stretches are summed in parallel. Runs are summed in sample order, because the sort is stable:
// the sum is reproducible.
template <typename T>
__global__ void sum_and_scatter_kernel(const std::int32_t* __restrict__ keys,
                                       const std::int32_t* __restrict__ samples,
                                       const std::int32_t* __restrict__ heads,
                                       const std::int32_t* __restrict__ head_count,
                                       const T* __restrict__ dout, std::int64_t dout_pitch,
                                       T* __restrict__ dtable, int count, int dim,
                                       bool accumulate) {
  constexpr int kWidth = kRowPack<T>;
  const int runs = *head_count;
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int per_run = stretches(dim, kStretch<T>);
  for (std::size_t item = first_item() / kWarp; item < static_cast<std::size_t>(runs) * per_run;
       item += item_stride() / kWarp) {
    const int run = static_cast<int>(item / per_run);
    const int begin = heads[run];
    const int end = run + 1 < runs ? heads[run + 1] : count;
    T* to = dtable + static_cast<std::int64_t>(keys[begin]) * dim;
    const int col = static_cast<int>(item % per_run) * kStretch<T> + lane * kWidth;
    if (col < dim) {
      float sum[kWidth] = {};
#pragma unroll 4
      for (int i = begin; i < end; ++i) {
        const Pack<T, kWidth> row = load<kWidth>(dout + samples[i] * dout_pitch, col);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) sum[j] += to_float(row.v[j]);
      }
      Pack<T, kWidth> out{};
      if (accumulate) out = load<kWidth>(to, col);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        out.v[j] = from_float<T>(accumulate ? to_float(out.v[j]) + sum[j] : sum[j]);
      }
      store<kWidth>(to, col, out);
    }
  }
}

int key_bits(std::int64_t table_rows) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(table_rows - 1))));
}

}  // namespace

template <typename T>
void embedding(cudaStream_t stream, const std::int32_t* indices, const T* table, T* out, int count,
               int dim) {
  const unsigned packs_per_row = static_cast<unsigned>(dim / kRowPack<T>);
  const unsigned packs = as_index(std::size_t{packs_per_row} * count);
  embedding_kernel<<<blocks_for(packs), kThreads, 0, stream>>>(indices, table, out, packs,
                                                               packs_per_row);
  check_launch();
}

EmbeddingGradientScratch::EmbeddingGradientScratch(int count, std::int64_t table_rows)
    : keys_(count), samples_(count), is_head_(count), heads_(count), head_count_(1) {
  std::vector<std::int32_t> iota(count);
  std::iota(iota.begin(), iota.end(), 0);
  iota_ = DeviceBuffer<std::int32_t>(iota);
  std::size_t sort_bytes = 0;
  std::size_t select_bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, keys_.data(), keys_.data(),
                                        samples_.data(), samples_.data(), count, 0,
                                        key_bits(table_rows)));
  check(cub::DeviceSelect::Flagged(nullptr, select_bytes, iota_.data(), is_head_.data(),
                                   heads_.data(), head_count_.data(), count));
  cub_ = DeviceBuffer<std::uint8_t>(std::max(sort_bytes, select_bytes));
}

template <typename T>
void embedding_gradient(cudaStream_t stream, const std::int32_t* indices, const T* dout,
                        std::int64_t dout_pitch, T* dtable, std::int64_t table_rows, int count,
                        int dim, EmbeddingGradientScratch& scratch, bool accumulate) {
  std::size_t cub_bytes = scratch.cub_.size();
  check(cub::DeviceRadixSort::SortPairs(
      scratch.cub_.data(), cub_bytes, indices, scratch.keys_.data(), scratch.iota_.data(),
      scratch.samples_.data(), count, 0, key_bits(table_rows), stream));
  const unsigned blocks = (static_cast<unsigned>(count) + kThreads - 1) / kThreads;
  mark_heads_kernel<<<blocks, kThreads, 0, stream>>>(scratch.keys_.data(), scratch.is_head_.data(),
                                                     count);
  check_launch();
  cub_bytes = scratch.cub_.size();
  check(cub::DeviceSelect::Flagged(scratch.cub_.data(), cub_bytes, scratch.iota_.data(),
                                   scratch.is_head_.data(), scratch.heads_.data(),
                                   scratch.head_count_.data(), count, stream));
  const auto warps = static_cast<std::size_t>(count) * stretches(dim, kStretch<T>);
  sum_and_scatter_kernel<<<blocks_for(warps * kWarp), kThreads, 0, stream>>>(
      scratch.keys_.data(), scratch.samples_.data(), scratch.heads_.data(),
      scratch.head_count_.data(), dout, dout_pitch, dtable, count, dim, accumulate);
  check_launch();
}

#define REF_INSTANTIATE(T)                                                                        \
  template void embedding(cudaStream_t, const std::int32_t*, const T*, T*, int, int);             \
  template void embedding_gradient(cudaStream_t, const std::int32_t*, const T*, std::int64_t, T*, \
                                   std::int64_t, int, int, EmbeddingGradientScratch&, bool);
REF_INSTANTIATE(float)
REF_INSTANTIATE(__half)
REF_INSTANTIATE(__nv_bfloat16)
#undef REF_INSTANTIATE

}  // namespace ref
