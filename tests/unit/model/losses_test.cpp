// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/model/losses.hpp"

#include <gtest/gtest.h>

#include <set>

namespace prof {
namespace {

TEST(LossesTest, WordsAreDistinctAndStorable) {
  std::set<std::string_view> words;
  for (const LossInfo& loss : kLossInfos) {
    EXPECT_TRUE(words.insert(loss.word).second) << loss.word;
    EXPECT_EQ(loss.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
        << loss.word;
    EXPECT_FALSE(loss.text.empty()) << loss.word;
  }
  EXPECT_EQ(words.size(), kLossCount);
}

TEST(LossesTest, InfoBelongsToItsLoss) {
  EXPECT_EQ(info(Loss::kStoreError).word, "store_error");
  EXPECT_EQ(info(Loss::kKilled).severity, Severity::kDataLoss);
  EXPECT_EQ(info(Loss::kUnbalancedPop).severity, Severity::kNotice);
}

}  // namespace
}  // namespace prof
