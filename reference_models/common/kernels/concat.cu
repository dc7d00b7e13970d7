// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See concat.hpp.
#include "common/kernels/concat.hpp"
#include "common/kernels/launch.cuh"

namespace ref {
namespace {

// Thread by output pack, so that writes are coalesced; a warp reads from one or two sources.
__global__ void concat_equal_kernel(const __grid_constant__ ConcatSources sources, unsigned count,
                                    float* __restrict__ out, unsigned packs,
                                    unsigned packs_per_row) {
  for (unsigned p = first_item(); p < packs; p += item_stride()) {
    const unsigned tensor_row = p / packs_per_row;
    const unsigned row = tensor_row / count;
    const unsigned tensor = tensor_row - row * count;
    const std::size_t from = std::size_t{row} * packs_per_row + (p - tensor_row * packs_per_row);
    store<4>(out, std::size_t{p} * 4, load<4>(sources.data[tensor], from * 4));
  }
}

__global__ void concat_three_kernel(ConcatPart a, ConcatPart b, ConcatPart c,
                                    float* __restrict__ out, unsigned total, unsigned pitch) {
  for (unsigned i = first_item(); i < total; i += item_stride()) {
    const std::size_t row = i / pitch;
    int col = static_cast<int>(i % pitch);
    ConcatPart part = a;
    if (col >= a.width + b.width) {
      col -= a.width + b.width;
      part = c;
    } else if (col >= a.width) {
      col -= a.width;
      part = b;
    }
    out[i] = part.data[row * part.width + col];
  }
}

}  // namespace

void concat_equal(cudaStream_t stream, const ConcatSources& sources, int count, float* out,
                  int rows, int width) {
  const unsigned packs_per_row = static_cast<unsigned>(width) / 4;
  const unsigned packs = as_index(std::size_t{packs_per_row} * count * rows);
  concat_equal_kernel<<<blocks_for(packs), kThreads, 0, stream>>>(
      sources, static_cast<unsigned>(count), out, packs, packs_per_row);
  check_launch();
}

void concat_three(cudaStream_t stream, ConcatPart a, ConcatPart b, ConcatPart c, float* out,
                  int rows) {
  const unsigned pitch = static_cast<unsigned>(a.width + b.width + c.width);
  const unsigned total = as_index(std::size_t{pitch} * rows);
  concat_three_kernel<<<blocks_for(total), kThreads, 0, stream>>>(a, b, c, out, total, pitch);
  check_launch();
}

}  // namespace ref
