// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles, slots and waves of matrix products: worked by hand, then on recorded launches
// (product_launches.tsv), whose grids tell the tiles independently of the kernels' names.
#include "analyzers/cost/product_waves.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "analyzers/devices/slots.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "analyzers/kernels/result_tiles.hpp"

namespace prof {
namespace {

constexpr std::int64_t kMultiprocessors = 132;

DeviceRow hopper() {
  DeviceRow row;
  row.compute_major = 9;
  row.sm_count = kMultiprocessors;
  return row;
}

/// nvjet's kernels leave room for one block on a multiprocessor.
LaunchConfig one_on_each(Dim3 grid) {
  LaunchConfig launch;
  launch.grid = grid;
  launch.block = {384, 1, 1};
  launch.registers_per_thread = 168;
  launch.dynamic_shared_bytes = 213'000;
  return launch;
}

Attribution product_of_shape(std::string_view kernel, GemmShape gemm) {
  OpAttribution op;
  op.gemm = gemm;
  if (!op.gemm->k) op.gemm->k = 64;
  Attribution made;
  made.op = std::make_shared<const OpAttribution>(op);
  made.kernel = std::make_shared<const KernelFacts>(kernels::facts(kernel));
  made.share = 1;
  return made;
}

/// "1000 / 132": tiles and slots; "-": absent.
std::string waves(std::string_view kernel, GemmShape gemm, Dim3 grid,
                  const DeviceRow& device = hopper()) {
  const auto got = product_waves(product_of_shape(kernel, gemm), one_on_each(grid), device);
  return got ? std::to_string(got->tiles) + " / " + std::to_string(got->slots) : "-";
}

constexpr std::string_view kPersistent = "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN";

TEST(ProductWaves, OfKernelsWhoseBlocksTakeSeveralTiles) {
  // 1024 / 128 = 8 by 32000 / 256 = 125.
  EXPECT_EQ(waves(kPersistent, {.m = 1024, .n = 32000, .k = {}}, {2, 66, 1}), "1000 / 132");
  EXPECT_EQ(waves(kPersistent, {.m = 1024, .n = 1, .k = {}}, {2, 4, 1}), "8 / 132");
  EXPECT_EQ(waves(kPersistent, {.m = 1024, .n = 512, .k = {}, .batch = 3}, {2, 24, 1}), "48 / 132");
  // 3 tiles along M are 2 clusters of 2.
  EXPECT_EQ(waves(kPersistent, {.m = 257, .n = 256, .k = {}}, {2, 2, 1}), "4 / 132");
  // The grid fits neither the tiles nor the device: not what the name and the sizes say.
  EXPECT_EQ(waves(kPersistent, {.m = 1024, .n = 32000, .k = {}}, {2, 50, 1}), "-");
  EXPECT_EQ(waves(kPersistent, {.m = 1024, .n = 256, .k = {}}, {2, 66, 1}), "-");
}

TEST(ProductWaves, OfOneRowAreThoseOfOneColumn) {
  // Recorded: 32768 / 256 = 128 tiles.
  EXPECT_EQ(
      waves("nvjet_sm90_hsh_256x8_64x6_2x1_v_bz_TNT", {.m = 1, .n = 32768, .k = {}}, {2, 64, 1}),
      "128 / 132");
}

TEST(ProductWaves, OfKernelsWithABlockForEachTile) {
  // XMMA: N / 256 along x, M / 128 along y.
  constexpr std::string_view kXmma =
      "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_"
      "alignc4_execute_kernel__5x_cublas";
  EXPECT_EQ(waves(kXmma, {.m = 2688, .n = 4096, .k = {}}, {16, 21, 1}), "336 / 132");
  EXPECT_EQ(waves(kXmma, {.m = 2688, .n = 4096, .k = {}}, {16, 21, 2}), "-") << "two splits of K";
  EXPECT_EQ(waves(kXmma, {.m = 2688, .n = 4096, .k = {}, .batch = 2}, {16, 21, 2}), "672 / 132");
  EXPECT_EQ(waves(kXmma, {.m = 2688, .n = 4096, .k = {}}, {16, 20, 1}), "-");
  // CUTLASS 2: 3 tiles along M in strips of 4, of which one block has no tile.
  constexpr std::string_view kCutlass = "cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1";
  EXPECT_EQ(waves(kCutlass, {.m = 768, .n = 16384, .k = {}}, {512, 1, 1}), "384 / 132");
  EXPECT_EQ(waves(kCutlass, {.m = 768, .n = 16384, .k = {}}, {640, 1, 1}), "-");
}

TEST(ProductWaves, AreAbsentWithoutProof) {
  const GemmShape gemm = {.m = 1024, .n = 1024, .k = {}};
  const Dim3 grid = {2, 16, 1};
  EXPECT_EQ(waves(kPersistent, gemm, grid), "32 / 132");
  EXPECT_EQ(waves("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_splitK_NTN", gemm, grid), "-");
  EXPECT_EQ(waves("nvjet_sm100_tst_128x256_64x4_2x1_2cta_v_bz_NTN", gemm, grid), "-");
  EXPECT_EQ(waves("nvjet_sm90_tst_128x256_64x4_2x2_h_bz_NTN", gemm, grid), "-") << "large cluster";
  EXPECT_EQ(waves("nvjet_sm90_tst_128x256_64x4_0x1_v_bz_NTN", gemm, grid), "-");
  EXPECT_EQ(waves("gemmSN_TN_kernel", gemm, grid), "-") << "no tile";
  EXPECT_EQ(waves(kPersistent, gemm, grid, DeviceRow{}), "-");
  DeviceRow blackwell = hopper();
  blackwell.compute_major = 10;
  EXPECT_EQ(waves(kPersistent, gemm, grid, blackwell), "32 / 132") << "a block for each tile";
  EXPECT_EQ(waves(kPersistent, {.m = 1024, .n = 32000, .k = {}}, {2, 66, 1}, blackwell), "-");

  Attribution made = product_of_shape(kPersistent, gemm);
  LaunchConfig launch = one_on_each(grid);
  launch.cluster = {2, 1, 1};
  EXPECT_TRUE(product_waves(made, launch, hopper()));
  launch.cluster = {4, 1, 1};
  EXPECT_FALSE(product_waves(made, launch, hopper())) << "not the cluster of the name";
  launch.cluster = {0, 0, 0};
  made.share = 0.5;
  EXPECT_FALSE(product_waves(made, launch, hopper())) << "a part of the product";
  made.share = 1;
  launch.registers_per_thread = 0;
  EXPECT_FALSE(product_waves(made, launch, hopper())) << "occupancy not known";
}

TEST(ProductWaves, OfDamagedSizesAreAbsent) {
  constexpr std::int64_t kMost = INT64_MAX;
  for (const GemmShape gemm :
       {GemmShape{.m = kMost, .n = kMost, .k = {}, .batch = kMost},
        GemmShape{.m = kMost, .n = 1, .k = {}}, GemmShape{.m = 0, .n = 1, .k = {}},
        GemmShape{.m = 1, .n = -1, .k = {}}}) {
    for (const std::string_view kernel :
         {kPersistent, std::string_view("ampere_sgemm_128x64_nn")}) {
      EXPECT_EQ(waves(kernel, gemm, {UINT32_MAX, UINT32_MAX, UINT32_MAX}), "-");
    }
  }
}

TEST(Slots, AreAllBlocksThatFit) {
  LaunchConfig launch;
  launch.block = {128, 1, 1};
  launch.registers_per_thread = 254;  // room for two
  EXPECT_EQ(devices::slots(hopper(), launch, 1), 264);
  EXPECT_EQ(devices::slots(hopper(), launch, 2), 264);
  EXPECT_EQ(devices::slots(hopper(), launch, 4), std::nullopt);
  DeviceRow unknown = hopper();
  unknown.sm_count = 0;
  EXPECT_EQ(devices::slots(unknown, launch, 1), std::nullopt);
}

struct Recorded {
  std::string kernel;
  GemmShape gemm = {.k = 1};
  Dim3 grid;
  LaunchConfig launch;

  [[nodiscard]] std::int64_t blocks() const { return std::int64_t{grid.x} * grid.y * grid.z; }
};

std::vector<Recorded> recorded() {
  std::vector<Recorded> all;
  std::ifstream file(PROF_PRODUCT_LAUNCHES);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    Recorded row;
    char x = 0;
    LaunchConfig& launch = row.launch;
    fields >> row.kernel >> row.gemm.m >> row.gemm.n >> row.gemm.batch >> row.grid.x >> x >>
        row.grid.y >> x >> row.grid.z >> launch.block.x >> launch.registers_per_thread >>
        launch.dynamic_shared_bytes;
    EXPECT_TRUE(fields) << line;
    launch.grid = row.grid;
    all.push_back(row);
  }
  return all;
}

/// Blocks of nvjet's grids are tiles unless the device has too few slots for them; those of kernels
/// with a block for each tile always are, up to blocks without a tile.
TEST(RecordedProducts, HaveTheTilesOfTheirGrids) {
  std::map<std::string, std::pair<int, int>> seen;  // tiles known, all; by family
  int with_waves = 0;
  for (const Recorded& row : recorded()) {
    const KernelFacts kernel = kernels::facts(row.kernel);
    const bool splits = kernel.split_k.value_or(false) || row.grid.z != row.gemm.batch;
    const bool is_nvjet = kernel.family == "cublaslt/nvjet";
    if (is_nvjet ? kernel.split_k == true : splits) continue;
    auto& [known, all] = seen[std::string(kernel.family)];
    ++all;
    const auto tiles = kernels::result_tiles(row.gemm, kernel, row.grid);
    if (!tiles) {
      std::printf("tiles not known: %s\n", row.kernel.c_str());
      continue;
    }
    ++known;
    if (is_nvjet) {
      EXPECT_EQ(row.blocks(), std::min(tiles->count, kMultiprocessors)) << row.kernel;
    } else {
      EXPECT_GE(row.blocks(), tiles->count) << row.kernel;
      EXPECT_LE(row.blocks(), 2 * tiles->count) << row.kernel;
    }
    const auto waves = product_waves(product_of_shape(row.kernel, row.gemm), row.launch, hopper());
    EXPECT_EQ(waves.has_value(), tiles->cluster <= 2) << row.kernel;
    with_waves += waves ? 1 : 0;
  }
  for (const auto& [family, counts] : seen) {
    std::printf("%s: tiles of %d of %d launches\n", family.c_str(), counts.first, counts.second);
  }
  EXPECT_EQ(seen["cublaslt/nvjet"], std::pair(168, 168));
  EXPECT_EQ(seen["cutlass2/gemm"], std::pair(28, 28));
  // Four have no tile in their name or several tiles for each block.
  EXPECT_EQ(seen["cublas/gemm"], std::pair(20, 24));
  EXPECT_EQ(with_waves, 168 - 64 + 28 + 20);
}

}  // namespace
}  // namespace prof
