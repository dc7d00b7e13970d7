// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of cutting texts in the middle.
#include "tools/report/table/shorten.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tools/common/unicode.hpp"

namespace prof::reports {
namespace {

std::string shortened(std::string_view text, std::size_t width, KeptPart telling) {
  const Shortened rest = shorten(text, width, telling);
  return std::string(rest.head).append(kCutMark).append(rest.tail);
}
std::string name(std::string_view text, std::size_t width) {
  return shortened(text, width, KeptPart::kStart);
}
std::string path(std::string_view text, std::size_t width) {
  return shortened(text, width, KeptPart::kEnd);
}

TEST(Shorten, KeepsTheStartOfNamesAndSomeOfTheirEnd) {
  EXPECT_EQ(name("void at::native::elementwise_kernel<float>", 18), "void at::nat…loat>");
  EXPECT_EQ(name("scaled_dot_product_attention", 10), "scaled…ion");
}

TEST(Shorten, KeepsTheLastPartsOfPaths) {
  EXPECT_EQ(path("transformer:encoder:attn", 14), "transfor…:attn");
  EXPECT_EQ(path("bert:encoder:layer.0:attention:self:query", 30),
            "bert:encoder:layer…:self:query");
  EXPECT_EQ(path("/home/user/model/train.py:123", 20), "/home/…/train.py:123");
}

TEST(Shorten, KeepsMoreThanAVeryShortLastPart) {
  EXPECT_EQ(path("encoder:a_very_long_layer_name:x", 16), "encod…yer_name:x");
}

TEST(Shorten, KeepsTheEndOfAPathOfOneLongPart) {
  EXPECT_EQ(path("Bottom_MLP_of_the_model", 13), "Bott…he_model");
}

TEST(Shorten, CutsThroughNoNumber) {
  EXPECT_EQ(name("M=1024,N=32768,K=4096", 16), "M=1024,N=…=4096");
  EXPECT_EQ(name("M=1024,N=512,K=16384", 16), "M=1024,N=…16384") << "no 1 of 512, no 6384";
  EXPECT_EQ(name("12345678901234567890", 7), "1234…90") << "unless nothing else is left";
}

TEST(Shorten, FitsAndSplitsNoCharacterAtAnyWidth) {
  const std::string text = "日本:e\u0301ncoder:12/層:注意力attn345";
  const std::size_t whole = tools::display_width(text);
  for (std::size_t width = 1; width < whole; ++width) {
    for (const KeptPart telling : {KeptPart::kStart, KeptPart::kEnd}) {
      const std::string rest = shortened(text, width, telling);
      EXPECT_LE(tools::display_width(rest), width) << rest;
      for (std::string_view left = rest; !left.empty();) {
        const tools::Utf8Step step = tools::utf8_step(left);
        ASSERT_TRUE(step.valid) << rest;
        left.remove_prefix(step.length);
      }
    }
  }
}

}  // namespace
}  // namespace prof::reports
