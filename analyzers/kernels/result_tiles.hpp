// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// In how many tiles a kernel computes a matrix product. The tile is in the kernel's name, but not
// how it lies, nor whether the kernel has this product all to itself: that takes the grid as
// proof. Pure function.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/model/attribution.hpp"

namespace prof::kernels {

struct ResultTiles {
  std::int64_t count = 0;     ///< Tiles of all products of the batch, in whole clusters.
  std::uint32_t cluster = 1;  ///< Blocks of a cluster.
  /// A block may compute several tiles. With as many blocks as tiles the grid is proof; with fewer,
  /// they must be all that the device holds at once.
  bool is_persistent = false;
};

/// Absent where the name states no tile, where several blocks share a sum over K (split-K,
/// stream-K), and where the grid contradicts.
std::optional<ResultTiles> result_tiles(const GemmShape& gemm, const KernelFacts& kernel,
                                        const Dim3& grid);

}  // namespace prof::kernels
