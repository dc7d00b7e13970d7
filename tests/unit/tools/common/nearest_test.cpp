// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the names that a mistyped word may mean.
#include "tools/common/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace prof::tools {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"layers", "ops", "kernels", "overhead", "api"};

TEST(Nearest, FewMistakesAreForgiven) {
  EXPECT_EQ(nearest("layer", kNames), "layers");
  EXPECT_EQ(nearest("kernesl", kNames), "kernels") << "two letters swapped";
  EXPECT_EQ(nearest("LAYRES", kNames), "layers");
  EXPECT_EQ(nearest("opps", kNames), "ops");
  EXPECT_EQ(nearest("over", kNames), "overhead") << "its beginning";
  EXPECT_EQ(nearest("kernels-of-a-step", kNames), "kernels") << "more than the name";
  EXPECT_EQ(nearest("kernels:base", kNames), "kernels");
}

TEST(Nearest, OtherWordsAreNotMeant) {
  EXPECT_EQ(nearest("nonsense", kNames), std::nullopt);
  EXPECT_EQ(nearest("xyz", kNames), std::nullopt);
  EXPECT_EQ(nearest("apistration", kNames), std::nullopt);
  EXPECT_EQ(nearest("", std::array<std::string_view, 1>{"m"}), std::nullopt);
  EXPECT_EQ(nearest("layers", {}), std::nullopt);
}

TEST(Nearest, AsAQuestion) {
  EXPECT_EQ(did_you_mean("opz", kNames), "did you mean 'ops'?");
  EXPECT_EQ(did_you_mean("nonsense", kNames), "");
}

}  // namespace
}  // namespace prof::tools
