// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of lists of tensors for people.
#include "tools/report/table/value_text.hpp"

#include <gtest/gtest.h>

namespace prof::reports {
namespace {

TEST(TensorLists, LongOnesAreCounted) {
  EXPECT_EQ(with_short_lists("T=[(1),(),(2,3),(64,3,7,7),(10)]"), "T=[5 tensors, 9.43 k elements]");
  EXPECT_EQ(with_short_lists("T=[(1),(),(),(),()],D=1"), "T=[5 tensors, 5 elements],D=1");
  EXPECT_EQ(with_short_lists("A=[(0),(0),(0),(0),(0)],B=[(1),(2)]"),
            "A=[5 tensors, 0 elements],B=[(1),(2)]");
}

TEST(TensorLists, ShortOnesAndOtherTextStay) {
  for (const char* text :
       {"", "T=(16,197,768)", "T=[(1,256),(1,256)]", "T=[(1),(2),(3),(4)]", "M=512,N=8,K=13",
        "T=[(1),(2),(3),(4),(5)", "T=[(1),(2),(x),(4),(5)]", "[1, 2, 3, 4, 5, 6]", "[[[[[["}) {
    EXPECT_EQ(with_short_lists(text), text);
  }
}

TEST(TensorLists, ElementsHaveThreeDigits) {
  const auto elements = [](const std::string& size) {
    const std::string list = "[(" + size + "),(0),(0),(0),(0)]";
    const std::string text = with_short_lists(list);
    return text.substr(std::string_view("[5 tensors, ").size());
  };
  EXPECT_EQ(elements("1"), "1 element]");
  EXPECT_EQ(elements("999"), "999 elements]");
  EXPECT_EQ(elements("1000"), "1.00 k elements]");
  EXPECT_EQ(elements("28600000"), "28.6 M elements]");
  EXPECT_EQ(elements("999600"), "1.00 M elements]");
  EXPECT_EQ(elements("1000,1000,1240"), "1.24 G elements]");
}

}  // namespace
}  // namespace prof::reports
