// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See transpose.hpp. Reads and writes are both in runs of d elements, so no staging is needed.
#include "common/kernels/launch.cuh"
#include "common/kernels/transpose.hpp"

namespace ref {
namespace {

// `d` is in packs of N elements here.
template <int N, typename T>
__global__ void swap_middle_kernel(const T* __restrict__ in, T* __restrict__ out, unsigned packs,
                                   unsigned b, unsigned c, unsigned d) {
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    const unsigned run = p / d;  // of the output, (a, c, b)
    const unsigned outer = run / b;
    const unsigned from = (outer / c * b + run % b) * c + outer % c;
    store<N>(out, std::size_t{p} * N, load<N>(in, (std::size_t{from} * d + p % d) * N));
  }
}

template <int N, typename T>
void launch(cudaStream_t stream, const T* in, T* out, int a, int b, int c, int d) {
  const unsigned packs = as_index(static_cast<std::size_t>(a) * b * c * d / N);
  swap_middle_kernel<N><<<blocks_for(packs), kThreads, 0, stream>>>(
      in, out, packs, static_cast<unsigned>(b), static_cast<unsigned>(c),
      static_cast<unsigned>(d / N));
  check_launch();
}

}  // namespace

template <typename T>
void swap_middle(cudaStream_t stream, const T* in, T* out, int a, int b, int c, int d) {
  d % 8 == 0 ? launch<8>(stream, in, out, a, b, c, d) : launch<1>(stream, in, out, a, b, c, d);
}

template void swap_middle<__half>(cudaStream_t, const __half*, __half*, int, int, int, int);
template void swap_middle<__nv_bfloat16>(cudaStream_t, const __nv_bfloat16*, __nv_bfloat16*, int,
                                         int, int, int);

}  // namespace ref
