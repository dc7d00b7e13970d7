// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How these kernels are launched and access memory: grid-stride loops, 16-byte accesses.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "common/gpu_check.hpp"

namespace ref {

constexpr unsigned kThreads = 256;  // per block, for elementwise kernels

/// Blocks for `items` threads' worth of work. The cap is fixed, not queried from the device, so
/// that a recorded launch is the same everywhere; 4096 blocks fill the largest GPUs twice over.
inline unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>(std::clamp<std::size_t>((items + kThreads - 1) / kThreads, 1, 4096));
}

/// For kernels that divide by 32-bit numbers because 64-bit division is slow.
inline unsigned as_index(std::size_t items) {
  if (items > std::numeric_limits<unsigned>::max() / 2) {
    throw std::length_error("tensor too large for 32-bit indexing");
  }
  return static_cast<unsigned>(items);
}

/// N elements moved by one load or store.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T v[N];
};

// Elements are stored in T and computed with in float.
__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T>
__device__ T from_float(float x);
template <>
__device__ inline float from_float<float>(float x) {
  return x;
}
template <>
__device__ inline __half from_float<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

__device__ inline std::size_t first_item() {
  return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ inline std::size_t item_stride() {
  return gridDim.x * static_cast<std::size_t>(blockDim.x);
}

/// Calls body(std::integral_constant<int, N>, i) for i = 0, N, 2N, ...: packs first, then the
/// remaining elements one by one.
template <int N, typename Body>
__device__ void for_each_pack(std::size_t n, Body body) {
  const std::size_t packs = n / N;
  for (std::size_t p = first_item(); p < packs; p += item_stride()) {
    body(std::integral_constant<int, N>{}, p * N);
  }
  const std::size_t rest = packs * N + first_item();
  if (rest < n) body(std::integral_constant<int, 1>{}, rest);
}

template <int N, typename T>
__device__ Pack<T, N> load(const T* from, std::size_t i) {
  return *reinterpret_cast<const Pack<T, N>*>(from + i);
}
template <int N, typename T>
__device__ void store(T* to, std::size_t i, const Pack<T, N>& pack) {
  *reinterpret_cast<Pack<T, N>*>(to + i) = pack;
}

}  // namespace ref
