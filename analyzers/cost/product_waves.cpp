// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See product_waves.hpp.
#include "analyzers/cost/product_waves.hpp"

#include "analyzers/devices/slots.hpp"
#include "analyzers/kernels/result_tiles.hpp"

namespace prof {
namespace {

/// A cluster of all 0 is one that the trace does not state.
bool agrees_with_cluster(const Dim3& cluster, std::uint32_t blocks) {
  return cluster.x == 0 || volume(cluster) == blocks;
}

/// It is known only of Hopper's kernels that a block takes several tiles.
bool is_covered(const kernels::ResultTiles& tiles, std::int64_t slots, double blocks,
                const DeviceRow& device) {
  if (!tiles.is_persistent || blocks == static_cast<double>(tiles.count)) return true;
  return device.compute_major == 9 && tiles.count > slots && blocks == static_cast<double>(slots);
}

}  // namespace

std::optional<ProductWaves> product_waves(const Attribution& made, const LaunchConfig& launch,
                                          const DeviceRow& device) {
  const std::optional<GemmShape>& gemm = made.op->gemm;
  if (made.kernel == nullptr || !made.main || made.share != 1 || !gemm || !gemm->k) {
    return std::nullopt;
  }
  const auto tiles = kernels::result_tiles(*gemm, *made.kernel, launch.grid);
  if (!tiles || !agrees_with_cluster(launch.cluster, tiles->cluster)) return std::nullopt;
  const auto slots = devices::slots(device, launch, tiles->cluster);
  if (!slots || !is_covered(*tiles, *slots, volume(launch.grid), device)) return std::nullopt;
  return ProductWaves{.tiles = tiles->count, .slots = *slots};
}

}  // namespace prof
