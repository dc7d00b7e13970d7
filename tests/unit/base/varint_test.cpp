// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/varint.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(VarintTest, GivesBackWhatItTook) {
  for (const std::uint64_t value : {0ul, 1ul, 127ul, 128ul, 16383ul, 16384ul, 1ul << 63, ~0ul}) {
    std::string bytes;
    append_varint(bytes, value);
    std::string_view rest = bytes;
    EXPECT_EQ(take_varint(rest), value);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(VarintTest, UsesSevenBitsAByte) {
  std::string bytes;
  append_varint(bytes, 127);
  EXPECT_EQ(bytes.size(), 1u);
  append_varint(bytes, 128);
  EXPECT_EQ(bytes.size(), 3u);
}

TEST(VarintTest, RefusesCutAndOversizedNumbers) {
  std::string_view cut("\x80\x80", 2);
  EXPECT_EQ(take_varint(cut), std::nullopt);
  std::string_view nothing;
  EXPECT_EQ(take_varint(nothing), std::nullopt);
  std::string_view too_large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
  EXPECT_EQ(take_varint(too_large), std::nullopt);
  std::string_view too_long("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11);
  EXPECT_EQ(take_varint(too_long), std::nullopt);
}

}  // namespace
}  // namespace prof
