// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of what counts as a numbered layer.
#include "tools/report/filter/fold_numbers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "libprof/base/glob.hpp"

namespace prof::reports {
namespace {

using Paths = std::vector<std::string_view>;
using Folded = std::vector<std::string>;

Folded folded(const Paths& paths) { return fold_numbers(paths); }

/// The same text with each of the numbers, and what they become.
std::set<std::string> folded(std::string_view before, std::string_view after,
                             const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers) {
    texts.push_back(std::string(before).append(std::to_string(number)).append(after));
  }
  const Folded all = fold_numbers(Paths(texts.begin(), texts.end()));
  return {all.begin(), all.end()};
}

void expect_stays(const Paths& paths) {
  EXPECT_EQ(folded(paths), Folded(paths.begin(), paths.end()));
}

TEST(FoldNumbers, HoweverALayerIsNumbered) {
  const std::vector<std::pair<std::string_view, std::string_view>> spellings = {
      {"h.", ""},
      {"gpt:h.", ".attn"},
      {"Layer ", ""},
      {"Layer ", ":mlp"},
      {"Block#", ""},
      {"Block #", ""},
      {"blocks[", "]"},
      {"blocks[", "].fc"},
      {"Layer(", ")"},
      {"stage/", "/conv"},
      {"layer=", ""},
      {"expert ", " of 8"},
      {"Layer ", "/12"},
      {"Layer ", " forward"},
      {"", ":attn"},
      {"layer", ".attn"},
      {"Layer", ":attn"},
      {"enc.block", ".0.fc"},
      {"layer", "_a.fc"},
      {"block_", ".mlp"},
      {"stage-", ":conv"},
      {"block_", "_attn.q"},
      {"encoder_layer_", ":attn.q"}};
  for (const auto& [before, after] : spellings) {
    const std::string star = std::string(before).append("*").append(after);
    EXPECT_EQ(folded(before, after, {0, 1}), std::set{star});
    EXPECT_EQ(folded(before, after, {3, 17, 180}), std::set{star});
    EXPECT_EQ(folded(before, after, {7}).size(), 1U) << star;
    EXPECT_FALSE(folded(before, after, {7}).contains(star));
  }
}

TEST(FoldNumbers, WhatIsFoldedIsAPatternOfItsLayers) {
  for (const auto& [layer, other] :
       {std::pair{"blocks[3].fc", "blocks[4].fc"}, {"Layer 3", "Layer 4"}, {"h.3", "h.4"}}) {
    EXPECT_TRUE(matches(layer, folded({layer, other})[0])) << layer;
  }
}

TEST(FoldNumbers, DigitsThatNumberNothingStay) {
  expect_stays({"conv1d", "conv2d", "conv3d"});
  expect_stays({"fp8", "fp16", "fp32", "fp64"});
  expect_stays({"resnet18", "resnet50", "resnet101"});
  expect_stays({"fc1", "fc2"});
  expect_stays({"h:ln_1", "h:ln_2", "h:linear_64", "h:linear_128"});
  expect_stays({"conv1", "bn1", "conv2", "bn2", "conv3", "bn3"});
  expect_stays({"conv 1x1", "conv 3x3"});
  expect_stays({"gemm(64, 128)", "gemm(64, 256)"});
  expect_stays({"x86_gemm", "x64_gemm"});
  expect_stays({"a.0.fc", "b.1.fc"});
  expect_stays({"", "7", "é1", "é2"});
}

TEST(FoldNumbers, NumbersThatAllShareStay) {
  EXPECT_EQ(folded({"block.3.fc.0", "block.4.fc.0"}), (Folded{"block.*.fc.0", "block.*.fc.0"}));
  expect_stays({"h.0:attn", "h.0:attn"});
}

TEST(FoldNumbers, ALayerIsFoldedWithAllThatIsInside) {
  EXPECT_EQ(
      folded({"stage.0.conv", "stage.0.downsample.0", "stage.0.downsample.1", "stage.1.conv"}),
      (Folded{"stage.*.conv", "stage.*.downsample.*", "stage.*.downsample.*", "stage.*.conv"}));
}

TEST(FoldNumbers, NamesWithNumbersAreFoldedIfTheSameLayersAreInside) {
  EXPECT_EQ(folded({"layer1.0.conv", "layer2.0.conv", "layer2.1.conv", "layer2.0.pool",
                    "layer3.0.conv", "layer3.1.conv", "layer3.5.pool"}),
            (Folded{"layer1.0.conv", "layer*.*.conv", "layer*.*.conv", "layer*.*.pool",
                    "layer*.*.conv", "layer*.*.conv", "layer*.*.pool"}));
  EXPECT_EQ(folded({"dense1.unit1.norm", "dense1.unit2.norm", "dense2.unit1.norm",
                    "dense2.unit2.norm", "dense2.unit3.norm"}),
            (Folded(5, "dense*.unit*.norm")));
}

TEST(FoldNumbers, NamesWithoutLayersInsideAreFoldedIfManyCount) {
  EXPECT_EQ(folded("layer", "", {0, 1, 2, 3}), std::set<std::string>{"layer*"});
  EXPECT_EQ(folded("m.layer", "", {1, 2, 3, 4, 5}), std::set<std::string>{"m.layer*"});
  EXPECT_EQ(folded("Embedding_", "", {0, 1, 2, 3}), std::set<std::string>{"Embedding_*"});
  EXPECT_EQ(folded("block_", "", {12, 13, 14, 15}), std::set<std::string>{"block_*"});
  EXPECT_EQ(folded("block_", "", {0, 1}), std::set<std::string>{"block_*"});
  EXPECT_EQ(folded("layer", "", {1, 2, 3}).size(), 3U);
  EXPECT_EQ(folded("layer", "", {0, 2}).size(), 2U);
  EXPECT_EQ(folded("layer", "", {1, 2, 3, 5}).size(), 4U);
}

}  // namespace
}  // namespace prof::reports
