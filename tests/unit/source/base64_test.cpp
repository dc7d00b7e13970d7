// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/base64.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

std::string encode(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

TEST(Base64Test, MatchesTheRfcsExamples) {
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, GivesBackEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<char>(i));
    EXPECT_EQ(decode_base64(encode(bytes)), bytes);
  }
}

TEST(Base64Test, RefusesWhatIsNot) {
  EXPECT_EQ(decode_base64("Zg="), std::nullopt);
  EXPECT_EQ(decode_base64("Z!=="), std::nullopt);
  EXPECT_EQ(decode_base64("Zg==Zg=="), std::nullopt);
  EXPECT_EQ(decode_base64("===="), std::nullopt);
}

TEST(Utf8Test, KnowsValidFromInvalid) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xc3"));
  EXPECT_FALSE(is_utf8("\xc0\x80"));
  EXPECT_FALSE(is_utf8("\xe0\x80\x80"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(is_utf8("\x80"));
}

}  // namespace
}  // namespace prof
