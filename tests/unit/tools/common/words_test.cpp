// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words of command lines.
#include "tools/common/words.hpp"

#include <gtest/gtest.h>

namespace prof::tools {
namespace {

using Words = std::vector<std::string>;

TEST(Words, ACommandLineIsReadAsAShellDoes) {
  EXPECT_EQ(command_words("a -r  b"), (Words{"a", "-r", "b"}));
  EXPECT_EQ(command_words(R"(--where "op = 'zero'" x)"), (Words{"--where", "op = 'zero'", "x"}));
  EXPECT_EQ(command_words(R"("a \"b\" \$c" 'd\e' '')"), (Words{"a \"b\" $c", "d\\e", ""}));
  EXPECT_EQ(command_words(""), Words{});
}

TEST(Words, AQuotedWordComesBack) {
  for (const char* const word : {"trace.db", "a b.db", "it's", "\"$x\"", ""}) {
    EXPECT_EQ(command_words("x " + shell_word(word)), (Words{"x", word}));
  }
}

}  // namespace
}  // namespace prof::tools
