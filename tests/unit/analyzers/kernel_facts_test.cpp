// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts from kernel names, compared with kernel_names.tsv, and the tables behind them.
#include "analyzers/kernels/kernel_facts.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analyzers/kernels/families.hpp"

namespace prof::kernels {
namespace {

struct Named {
  std::string name, source;
  std::vector<std::string> facts;
};

constexpr const char* kFields[] = {"family", "tile",    "instruction", "operand", "accumulator",
                                   "output", "split_k", "tensor_core", "layout",  "role"};

std::vector<Named> read_names() {
  std::vector<Named> all;
  std::ifstream file(PROF_KERNEL_NAMES);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    Named row;
    std::string field;
    for (std::size_t i = 0; i < std::size(kFields); ++i) {
      std::getline(fields, field, '\t');
      row.facts.push_back(field);
    }
    std::getline(fields, row.source, '\t');
    std::getline(fields, row.name);
    all.push_back(row);
  }
  return all;
}

std::string or_dash(std::string_view text) { return text.empty() ? "-" : std::string(text); }

std::string to_text(const std::optional<BlockShape>& shape) {
  if (!shape) return "-";
  std::string text = std::to_string(shape->m) + "x" + std::to_string(shape->n);
  return shape->k ? text + "x" + std::to_string(*shape->k) : text;
}

std::string to_text(TensorCore answer) {
  return answer == TensorCore::kUnknown ? "-" : answer == TensorCore::kYes ? "yes" : "no";
}

std::vector<std::string> to_fields(const KernelFacts& facts) {
  return {or_dash(facts.family),
          to_text(facts.tile),
          to_text(facts.instruction),
          or_dash(name(facts.operand_dtype)),
          or_dash(name(facts.accumulator_dtype)),
          or_dash(name(facts.output_dtype)),
          facts.split_k ? (*facts.split_k ? "yes" : "no") : "-",
          to_text(facts.tensor_core),
          or_dash(facts.layout),
          facts.is_helper     ? "helper"
          : facts.is_product  ? "product"
          : facts.is_ordering ? "ordering"
                              : "main"};
}

TEST(KernelNames, SayWhatAPersonReads) {
  const std::vector<Named> all = read_names();
  std::size_t seen = 0;
  for (const Named& row : all) {
    const std::vector<std::string> got = to_fields(facts(row.name));
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], row.facts[i]) << kFields[i] << " of " << row.name;
    }
    seen += row.source == "scheme" ? 0U : 1U;
  }
  EXPECT_GE(seen, 400U) << "names of real kernels";
}

TEST(KernelNames, OfManyFamilies) {
  std::set<std::string> families;
  for (const Named& row : read_names()) families.insert(row.facts[0]);
  EXPECT_GE(families.size(), 65U);
}

TEST(KernelNames, ThatNobodyKnowsSayNothing) {
  for (const char* name : {"my_kernel", "", "interaction<3>(int*)", "_Z9my_kernelPi", "nvjetty"}) {
    const KernelFacts got = facts(name);
    EXPECT_EQ(got.family, "") << name;
    EXPECT_FALSE(got.tile || got.instruction || got.split_k) << name;
    EXPECT_EQ(got.operand_dtype, DType::kUnknown) << name;
    EXPECT_EQ(got.tensor_core, TensorCore::kUnknown) << name;
    EXPECT_EQ(got.layout, "") << name;
    EXPECT_FALSE(got.is_helper) << name;
  }
}

TEST(KernelNames, CutShortTellWhatIsLeft) {
  EXPECT_EQ(facts("nvjet_").family, "cublaslt/nvjet");
  EXPECT_EQ(facts("nvjet_").split_k, std::nullopt);
  EXPECT_EQ(facts("nvjet_sm90_hsh_128x").tile, std::nullopt);
  EXPECT_EQ(facts("nvjet_sm90_hsh_128x").operand_dtype, DType::kFloat16);
  EXPECT_EQ(facts("nvjet_sm90_hsh_128x256").tile, (BlockShape{128, 256, std::nullopt}));
  EXPECT_EQ(facts("nvjet_sm90_h").operand_dtype, DType::kUnknown);
  EXPECT_EQ(facts("cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f1").instruction,
            (BlockShape{64, 128, 16}));
  EXPECT_EQ(facts("cutlass_80_tensorop_s99999999999gemm_128x99999999999_nt").tile, std::nullopt);
  EXPECT_EQ(facts("void cutlass::device_kernel<gemm::CollectiveMma<").tile, std::nullopt);
  EXPECT_EQ(facts("flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128").tile, std::nullopt);
}

TEST(KernelNames, TellTheClusterOfNvjet) {
  const auto cluster = [](std::string_view name) { return facts(name).cluster; };
  EXPECT_EQ(cluster("nvjet_sm90_tst_40x64_64x16_4x2_h_bz_bias_TNN"),
            (BlockShape{4, 2, std::nullopt}));
  EXPECT_EQ(cluster("nvjet_sm120_tst_mma_64x32x64_8_16x32x64_tmaAB_bz_TNNN"), std::nullopt);
  EXPECT_EQ(cluster("nvjet_sm90_hsh_128x256_64x4"), std::nullopt);
  EXPECT_EQ(cluster("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn"), std::nullopt);
}

TEST(Families, RowsCanBeReached) {
  // A row whose text an earlier row already matches would never be used.
  const std::span<const Family> rows = families();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_FALSE(rows[i].text.empty());
    EXPECT_FALSE(rows[i].family.empty());
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_place = rows[i].where == rows[j].where;
      const bool same_text = rows[i].text == rows[j].text;
      EXPECT_FALSE(same_place && same_text) << rows[i].text;
    }
  }
}

TEST(KernelFacts, NothingIsGuessedFromTheNameOfAWholeGraph) {
  const KernelFacts facts = kernels::facts("[CUDA graph 128]");
  EXPECT_EQ(facts.short_name, "[CUDA graph 128]");
  EXPECT_EQ(facts.demangled, "[CUDA graph 128]");
  EXPECT_EQ(facts.family, "");
  EXPECT_EQ(facts.tile, std::nullopt);
  EXPECT_EQ(facts.instruction, std::nullopt);
  EXPECT_EQ(facts.tensor_core, TensorCore::kUnknown);
  EXPECT_EQ(facts.operand_dtype, DType::kUnknown);
  EXPECT_EQ(facts.split_k, std::nullopt);
  EXPECT_FALSE(facts.is_helper || facts.is_product || facts.is_ordering);
}

}  // namespace
}  // namespace prof::kernels
