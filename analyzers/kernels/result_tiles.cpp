// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See result_tiles.hpp. How tiles lie follows from the grids of recorded kernels
// (tests/unit/analyzers/product_waves_test.cpp).
#include "analyzers/kernels/result_tiles.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {
namespace {

/// Far above what a device runs; the product of three such counts has room in 64 bits.
constexpr std::int64_t kLargest = 1 << 20;
constexpr std::int32_t kMostInCluster = 16;  // blocks; CUDA C++ Programming Guide

/// Parts of `step` that cover `size`.
constexpr std::int64_t parts(std::int64_t size, std::int64_t step) {
  return size / step + (size % step != 0 ? 1 : 0);
}

/// Tiles of one product.
struct TileGrid {
  std::int64_t along_m = 0, along_n = 0;

  TileGrid(std::int64_t m, std::int64_t n, const BlockShape& tile)
      : along_m(parts(m, tile.m)), along_n(parts(n, tile.n)) {}
  [[nodiscard]] bool is_possible() const { return along_m <= kLargest && along_n <= kLargest; }
  [[nodiscard]] std::int64_t count() const { return along_m * along_n; }
};

bool shares_k(const KernelFacts& kernel) {
  return kernel.split_k.value_or(false) || contains(kernel.demangled, "treamk") ||
         contains(kernel.demangled, "treamK") || contains(kernel.demangled, "tream_k");
}

/// The tile and the cluster of nvjet's kernels are M x N. A result of one row is computed as a
/// column. Kernels of CTA pairs ("2cta", on Blackwell) are not known well enough.
std::optional<ResultTiles> nvjet_tiles(GemmShape gemm, const KernelFacts& kernel) {
  if (!kernel.cluster || contains(kernel.demangled, "2cta")) return std::nullopt;
  const BlockShape& cluster = *kernel.cluster;
  if (std::min(cluster.m, cluster.n) < 1 || std::max(cluster.m, cluster.n) > kMostInCluster) {
    return std::nullopt;
  }
  if (gemm.m == 1) std::swap(gemm.m, gemm.n);
  TileGrid tiles(gemm.m, gemm.n, *kernel.tile);
  if (!tiles.is_possible()) return std::nullopt;
  tiles.along_m = parts(tiles.along_m, cluster.m) * cluster.m;
  tiles.along_n = parts(tiles.along_n, cluster.n) * cluster.n;
  return ResultTiles{.count = tiles.count() * gemm.batch,
                     .cluster = static_cast<std::uint32_t>(cluster.m * cluster.n),
                     .is_persistent = true};
}

/// CUTLASS 2 turns strips of 1, 2, 4 or 8 tiles along M into neighbors along x; blocks beyond the
/// last tile end at once (GemmIdentityThreadblockSwizzle).
bool is_swizzled(const TileGrid& tiles, const Dim3& grid) {
  return std::ranges::any_of(std::to_array<std::int64_t>({1, 2, 4, 8}), [&](std::int64_t strip) {
    return grid.x == tiles.along_n * strip && grid.y == parts(tiles.along_m, strip);
  });
}

bool is_plain(const TileGrid& tiles, const Dim3& grid) {
  return (grid.x == tiles.along_m && grid.y == tiles.along_n) ||
         (grid.x == tiles.along_n && grid.y == tiles.along_m);
}

/// A block for each tile, a plane for each product. Which side of the tile lies along M depends on
/// the kernel: the grid shows it. The planes of a single product are splits of K.
std::optional<ResultTiles> tiles_of_blocks(const GemmShape& gemm, const KernelFacts& kernel,
                                           const Dim3& grid) {
  if (grid.z != gemm.batch) return std::nullopt;
  const BlockShape& tile = *kernel.tile;
  const TileGrid upright(gemm.m, gemm.n, tile);
  const TileGrid turned(gemm.m, gemm.n, {tile.n, tile.m, tile.k});
  if (!upright.is_possible() || !turned.is_possible()) return std::nullopt;
  const bool may_swizzle =
      kernel.family == "cutlass2/gemm" && contains(kernel.demangled, "cutlass_");
  if (is_plain(upright, grid) || (may_swizzle && is_swizzled(upright, grid))) {
    return ResultTiles{.count = upright.count() * gemm.batch};
  }
  if (is_plain(turned, grid)) return ResultTiles{.count = turned.count() * gemm.batch};
  return std::nullopt;
}

}  // namespace

std::optional<ResultTiles> result_tiles(const GemmShape& gemm, const KernelFacts& kernel,
                                        const Dim3& grid) {
  if (!kernel.tile || kernel.tile->m <= 0 || kernel.tile->n <= 0 || shares_k(kernel)) {
    return std::nullopt;
  }
  if (gemm.m <= 0 || gemm.n <= 0 || gemm.batch <= 0 || gemm.batch > kLargest) return std::nullopt;
  if (kernel.family == "cublaslt/nvjet") return nvjet_tiles(gemm, kernel);
  return tiles_of_blocks(gemm, kernel, grid);
}

}  // namespace prof::kernels
