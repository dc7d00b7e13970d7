// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See cast.hpp.
#include "common/kernels/cast.hpp"

#include "common/kernels/launch.cuh"

namespace ref {
namespace {

__device__ void convert(float in, __half& out) { out = __float2half_rn(in); }
__device__ void convert(__half in, float& out) { out = __half2float(in); }
__device__ void convert(__nv_bfloat16 in, float& out) { out = __bfloat162float(in); }
__device__ void convert(std::int64_t in, __half& out) {
  out = __float2half_rn(static_cast<float>(in));
}
__device__ void convert(std::int64_t in, std::int32_t& out) { out = static_cast<std::int32_t>(in); }

template <typename In, typename Out>
constexpr int kCastPack = 16 /
                          static_cast<int>(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));

template <typename In, typename Out>
__global__ void cast_kernel(const In* __restrict__ in, Out* __restrict__ out, std::size_t n) {
  for_each_pack<kCastPack<In, Out>>(n, [=](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    const Pack<In, kWidth> from = load<kWidth>(in, i);
    Pack<Out, kWidth> to;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) convert(from.v[j], to.v[j]);
    store<kWidth>(out, i, to);
  });
}

template <typename In, typename Out>
void launch_cast(cudaStream_t stream, const In* in, Out* out, std::size_t n) {
  cast_kernel<<<blocks_for(n / kCastPack<In, Out> + 1), kThreads, 0, stream>>>(in, out, n);
  check_launch();
}

}  // namespace

void cast(cudaStream_t stream, const float* in, __half* out, std::size_t n) {
  launch_cast(stream, in, out, n);
}
void cast(cudaStream_t stream, const __half* in, float* out, std::size_t n) {
  launch_cast(stream, in, out, n);
}
void cast(cudaStream_t stream, const __nv_bfloat16* in, float* out, std::size_t n) {
  launch_cast(stream, in, out, n);
}
void cast(cudaStream_t stream, const std::int64_t* in, __half* out, std::size_t n) {
  launch_cast(stream, in, out, n);
}
void cast(cudaStream_t stream, const std::int64_t* in, std::int32_t* out, std::size_t n) {
  launch_cast(stream, in, out, n);
}

}  // namespace ref
