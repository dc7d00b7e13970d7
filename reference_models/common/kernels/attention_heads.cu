// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See attention_heads.hpp. A head's row is contiguous on both sides, so 16 bytes move at a time.
#include "common/kernels/attention_heads.hpp"
#include "common/kernels/launch.cuh"

namespace ref {
namespace {

constexpr int kHeadPack = 8;

// Unsigned, because 32-bit divisions by run-time values are half the kernel's work.
struct PackSizes {
  unsigned batch, tokens, heads, packs, parts;
};

template <bool Split>
__global__ void heads_kernel(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ out,
                             PackSizes s, unsigned total) {
  for (unsigned i = first_item(); i < total; i += item_stride()) {
    unsigned rest = i / s.packs;
    const unsigned pack = i - rest * s.packs;
    const unsigned head = rest % s.heads;
    rest /= s.heads;
    const unsigned part = rest % s.parts;
    rest /= s.parts;
    const unsigned token = rest % s.tokens;
    const unsigned sample = rest / s.tokens;
    const unsigned row = ((part * s.batch + sample) * s.heads + head) * s.tokens + token;
    const std::size_t merged = std::size_t{i} * kHeadPack;
    const std::size_t split = (std::size_t{row} * s.packs + pack) * kHeadPack;
    store<kHeadPack>(out, Split ? split : merged, load<kHeadPack>(x, Split ? merged : split));
  }
}

template <bool Split>
void launch(cudaStream_t stream, const __nv_bfloat16* x, __nv_bfloat16* out, int parts,
            const HeadSizes& s) {
  const PackSizes sizes{static_cast<unsigned>(s.batch), static_cast<unsigned>(s.tokens),
                        static_cast<unsigned>(s.heads), static_cast<unsigned>(s.size / kHeadPack),
                        static_cast<unsigned>(parts)};
  const unsigned total =
      as_index(std::size_t{sizes.batch} * sizes.tokens * sizes.parts * sizes.heads * sizes.packs);
  heads_kernel<Split><<<blocks_for(total), kThreads, 0, stream>>>(x, out, sizes, total);
  check_launch();
}

}  // namespace

void split_heads(cudaStream_t stream, const __nv_bfloat16* x, __nv_bfloat16* out, int parts,
                 const HeadSizes& sizes) {
  launch<true>(stream, x, out, parts, sizes);
}
void merge_heads(cudaStream_t stream, const __nv_bfloat16* x, __nv_bfloat16* out, int parts,
                 const HeadSizes& sizes) {
  launch<false>(stream, x, out, parts, sizes);
}

}  // namespace ref
