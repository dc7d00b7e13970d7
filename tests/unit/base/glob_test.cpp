// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/glob.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(Glob, MatchesTheWholeText) {
  EXPECT_TRUE(matches("forward", "forward"));
  EXPECT_FALSE(matches("forwards", "forward"));
  EXPECT_FALSE(matches("Forward", "forward"));
  EXPECT_FALSE(matches("x", ""));
  EXPECT_TRUE(matches("", ""));
}

TEST(Glob, AStarIsAnyText) {
  EXPECT_TRUE(matches("", "*"));
  EXPECT_TRUE(matches("a-b-b-c", "a*b*c"));
  EXPECT_TRUE(matches("step:12", "step:*"));
  EXPECT_TRUE(matches("step:", "step:**"));
  EXPECT_FALSE(matches("a-b-c", "a*b"));
}

TEST(Glob, AQuestionMarkIsOneCharacter) {
  EXPECT_TRUE(matches("forward", "?orward"));
  EXPECT_FALSE(matches("", "?"));
  EXPECT_TRUE(matches("\xc3\xa9t\xc3\xa9", "?t?")) << "of UTF-8";
  EXPECT_TRUE(matches("\xff", "?")) << "not UTF-8";
}

TEST(Glob, ASetIsOneOfItsCharacters) {
  EXPECT_TRUE(matches("layer7", "layer[0-9]"));
  EXPECT_FALSE(matches("layer_", "layer[0-9]"));
  EXPECT_TRUE(matches("h.10", "h.[0-9][0-9]"));
  EXPECT_TRUE(matches("b", "[!a]"));
  EXPECT_FALSE(matches("a", "[^a]"));
  EXPECT_TRUE(matches("]", "[]]"));
  EXPECT_TRUE(matches("x", "[!]]"));
  EXPECT_TRUE(matches("-", "[a-]"));
  EXPECT_TRUE(matches("\xc3\xa9", "[a\xc3\xa9]"));
  EXPECT_FALSE(matches("", "[a]"));
  EXPECT_TRUE(matches("axxb1", "a*b[0-9]")) << "after a star";
}

TEST(Glob, BracketsMayBeTexts) {
  EXPECT_TRUE(matches("blocks[*]", "blocks[*]"));
  EXPECT_TRUE(matches("blocks[12].fc", "blocks[*].fc"));
  EXPECT_FALSE(matches("blocks*", "blocks[*]"));
  EXPECT_FALSE(matches("blocks12", "blocks[*]"));
  EXPECT_TRUE(matches("blocks[12]", "blocks[[]*]"));
  EXPECT_TRUE(matches("step[DECODE bs=8]", "step[DECODE bs=8]")) << "itself";
  EXPECT_TRUE(matches("step[8", "step[*")) << "nothing closes it";
  EXPECT_TRUE(matches("a\\b", "a\\?")) << "a backslash is one";
}

}  // namespace
}  // namespace prof
