// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of UTF-8 handling: what foreign names may hold must neither break a table nor a terminal.
#include "tools/common/unicode.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::tools {
namespace {

std::string printable(std::string_view text) {
  std::string out;
  append_printable(text, out);
  return out;
}

TEST(Unicode, StepsOverValidCharacters) {
  EXPECT_EQ(utf8_step("a").code_point, U'a');
  EXPECT_EQ(utf8_step("é").code_point, U'é');
  EXPECT_EQ(utf8_step("…x").code_point, U'…');
  EXPECT_EQ(utf8_step("…x").length, 3U);
  EXPECT_EQ(utf8_step("🚀").code_point, U'🚀');
  EXPECT_EQ(utf8_step("\xf4\x8f\xbf\xbf").code_point, char32_t{0x10FFFF});
}

TEST(Unicode, TellsBytesThatAreNotUtf8) {
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\xaf", "\xc1\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(utf8_step(bad).valid) << printable(bad);
    EXPECT_EQ(utf8_step(bad).length, 1U);
  }
  EXPECT_FALSE(utf8_step("\xed\xa0\x80").valid) << "a surrogate";
  EXPECT_FALSE(utf8_step("\xe0\x80\x80").valid) << "overlong";
  EXPECT_FALSE(utf8_step("\xf4\x90\x80\x80").valid) << "above the last code point";
  const Utf8Step cut = utf8_step("\xe2\x80");
  EXPECT_FALSE(cut.valid);
  EXPECT_EQ(cut.length, 2U);
}

TEST(Unicode, MakesForeignTextHarmless) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable(std::string_view("nul\0!", 5)), "nul\\x00!");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b") << "CSI in one character";
  EXPECT_EQ(printable("\u202Eabc"), "\\u202eabc") << "would turn the reading direction";
  EXPECT_EQ(printable("ok \xff\xfe é"), "ok \uFFFD\uFFFD é");
  EXPECT_EQ(printable("Schicht_日本"), "Schicht_日本");
}

TEST(Unicode, MeasuresColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("é…"), 2U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "a combining accent has no width";
  EXPECT_EQ(display_width("🚀"), 2U);
  EXPECT_EQ(display_width("⌚"), 2U);
  EXPECT_EQ(display_width("परत"), 3U);
  EXPECT_EQ(display_width("कु"), 1U) << "a vowel sign that does not advance";
  EXPECT_EQ(display_width(""), 0U);
}

TEST(Unicode, CutsBetweenCharacters) {
  EXPECT_EQ(prefix_of_width("abcdef", 3), "abc");
  EXPECT_EQ(prefix_of_width("日本語", 3), "日") << "half a wide character does not fit";
  EXPECT_EQ(prefix_of_width("日本語", 4), "日本");
  EXPECT_EQ(prefix_of_width("e\u0301x", 1), "e\u0301") << "an accent stays with its letter";
  EXPECT_EQ(prefix_of_width("ab", 9), "ab");
  EXPECT_EQ(prefix_of_width("ab", 0), "");
}

TEST(Unicode, CutsTheFrontToo) {
  EXPECT_EQ(suffix_of_width("abcdef", 3), "def");
  EXPECT_EQ(suffix_of_width("日本語", 3), "語");
  EXPECT_EQ(suffix_of_width("xe\u0301y", 1), "y") << "an accent goes with its letter";
  EXPECT_EQ(suffix_of_width("ab", 9), "ab");
  EXPECT_EQ(suffix_of_width("ab", 0), "");
}

TEST(Unicode, PlainAsciiIsItsOwnForm) {
  EXPECT_TRUE(is_plain_ascii("void k<int>(float*)"));
  EXPECT_TRUE(is_plain_ascii(""));
  EXPECT_FALSE(is_plain_ascii("a\n"));
  EXPECT_FALSE(is_plain_ascii("é"));
  EXPECT_FALSE(is_plain_ascii("\x7f"));
}

}  // namespace
}  // namespace prof::tools
