// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See fill.hpp.
#include "common/kernels/fill.hpp"

#include "common/kernels/launch.cuh"
#include "common/random.hpp"

namespace ref {
namespace {

template <typename T>
__global__ void zero_kernel(T* out, std::size_t n) {
  for_each_pack<16 / sizeof(T)>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    store<kWidth>(out, i, Pack<T, kWidth>{});
  });
}

__global__ void random_kernel(float* out, std::size_t n, float scale, std::uint64_t seed,
                              std::uint64_t stream_id, float center) {
  for (std::size_t i = first_item(); i < n; i += item_stride()) {
    out[i] = __half2float(__float2half_rn(center + scale * random_symmetric(seed, stream_id, i)));
  }
}

__global__ void random_bfloat16_kernel(__nv_bfloat16* out, std::size_t n, float center, float scale,
                                       std::uint64_t seed, std::uint64_t stream_id) {
  for (std::size_t i = first_item(); i < n; i += item_stride()) {
    out[i] = __float2bfloat16_rn(center + scale * random_symmetric(seed, stream_id, i));
  }
}

template <typename T>
void launch_zero(cudaStream_t stream, T* out, std::size_t n) {
  zero_kernel<<<blocks_for(n / (16 / sizeof(T)) + 1), kThreads, 0, stream>>>(out, n);
  check_launch();
}

}  // namespace

void zero(cudaStream_t stream, float* out, std::size_t n) { launch_zero(stream, out, n); }
void zero(cudaStream_t stream, __half* out, std::size_t n) { launch_zero(stream, out, n); }

void fill_random(cudaStream_t stream, float* out, std::size_t n, float scale, std::uint64_t seed,
                 std::uint64_t stream_id, float center) {
  random_kernel<<<blocks_for(n), kThreads, 0, stream>>>(out, n, scale, seed, stream_id, center);
  check_launch();
}

void fill_random(cudaStream_t stream, __nv_bfloat16* out, std::size_t n, float center, float scale,
                 std::uint64_t seed, std::uint64_t stream_id) {
  random_bfloat16_kernel<<<blocks_for(n), kThreads, 0, stream>>>(out, n, center, scale, seed,
                                                                 stream_id);
  check_launch();
}

}  // namespace ref
