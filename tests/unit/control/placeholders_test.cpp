// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/placeholders.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(Placeholders, AreFilled) {
  const Placeholders values{"12", "node1", "3", "7"};
  EXPECT_EQ(fill_placeholders("a-%p-%h-%r-%n.db", values), "a-12-node1-3-7.db");
  EXPECT_EQ(fill_placeholders("100%%", values), "100%");
  EXPECT_EQ(fill_placeholders("%x%", values), "%x%");
  EXPECT_EQ(fill_placeholders("%%p", values), "%p");
  EXPECT_EQ(fill_placeholders("", values), "");
}

TEST(Placeholders, AFolderIsCalledWhatItIsCalled) {
  EXPECT_EQ(fill_placeholders("/a/100%p/%h/t-%p.db", {"12", "n", "0", "1"}), "/a/100%p/%h/t-12.db");
}

TEST(Placeholders, ANameWithoutOneIsTheFilesOwn) {
  for (const char* own : {"/a/t.db", "/a/100%p/t.db", "50%.db", ""})
    EXPECT_FALSE(has_placeholder(own)) << own;
  for (const char* filled : {"t-%p.db", "%n", "t%%.db"})
    EXPECT_TRUE(has_placeholder(filled)) << filled;
}

TEST(Placeholders, FilesOfWindowsHaveANumber) {
  EXPECT_TRUE(has_window_number("/a/t-%n.db"));
  EXPECT_TRUE(has_window_number("%n"));
  EXPECT_FALSE(has_window_number("/a/%n/t.db"));
  EXPECT_FALSE(has_window_number("t-%%n.db"));
}

TEST(Placeholders, TheFirstWindowsNameIsKnownIfNothingElseIsInIt) {
  EXPECT_EQ(name_of_first_window("/a/%p/t-%n.db"), "/a/%p/t-1.db");
  EXPECT_EQ(name_of_first_window("t-%%p.db"), "t-%p.db");
  for (const char* name : {"t-%n-%p.db", "t-%h.db", "%r"}) {
    EXPECT_EQ(name_of_first_window(name), "") << name;
  }
}

}  // namespace
}  // namespace prof
