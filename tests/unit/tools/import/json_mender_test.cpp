// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/json_mender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace prof::importers {
namespace {

/// Mended in chunks of `size` characters, with what is held put in front of the next.
std::string mended(const std::string& text, std::size_t size, JsonMender& mender) {
  std::string done, held;
  for (std::size_t at = 0; at <= text.size(); at += size) {
    std::string chunk = held + text.substr(at, size);
    const bool is_last = at + size > text.size();
    const std::size_t ready = mender.mend(chunk, is_last);
    done += chunk.substr(0, ready);
    held = chunk.substr(ready);
    EXPECT_LE(held.size(), JsonMender::kMostHeld);
  }
  EXPECT_EQ(held, "");
  return done;
}

struct Case {
  std::string text, expected;
  std::uint64_t bytes, numbers, controls = 0, surrogates = 0;
};

TEST(JsonMender, MendsTextsAndNumbersWhereverAChunkEnds) {
  const Case cases[] = {
      {R"({"a":[1,-2,"-Infinity NaN\"",true,null]})", R"({"a":[1,-2,"-Infinity NaN\"",true,null]})",
       0, 0},
      {R"([NaN,Infinity,-Infinity,1])", R"(["" ,""      ,""       ,1])", 0, 3},
      {"[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"]", "[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"]",
       0, 0},
      {"[\"a\xE9\",\"\xE2\x82\",\"\xF0\x9F\x98\"]", "[\"a?\",\"??\",\"???\"]", 6, 0},
      {"[\"\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80\xFF\"]", "[\"??????????\"]", 10, 0},
      {"[\"a\nb\tc\"]", "[\"a?b?c\"]", 0, 0, 2},
      {"[\"C:\\\xE9 \\\"x\"]", "[\"C:\\/ \\\"x\"]", 1, 0},
      {"[\"\\\xC3\xA9\"]", "[\"\\/?\"]", 2, 0},
      {R"(["\ud83d\ude00 \u00e9\\ud800 \\\"\uD83D\uDE00"])",
       R"(["\ud83d\ude00 \u00e9\\ud800 \\\"\uD83D\uDE00"])", 0, 0},
      {R"(["a\udcff","\ud800","\uD83Dx","\ud83d\n\ud83d\ud83d\ude00\ude00"])",
       R"(["a\ufffd","\ufffd","\ufffdx","\ufffd\n\ufffd\ud83d\ude00\ufffd"])", 0, 0, 0, 6},
  };
  for (const Case& one : cases) {
    for (std::size_t size = 1; size <= one.text.size() + 1; ++size) {
      JsonMender mender;
      EXPECT_EQ(mended(one.text, size, mender), one.expected) << "chunks of " << size;
      EXPECT_EQ(mender.bytes(), one.bytes) << one.text;
      EXPECT_EQ(mender.numbers(), one.numbers) << one.text;
      EXPECT_EQ(mender.controls(), one.controls) << one.text;
      EXPECT_EQ(mender.surrogates(), one.surrogates) << one.text;
    }
  }
}

TEST(JsonMender, WhateverBytesATextHasItIsJsonAfterwards) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) {
      const char c = static_cast<char>(random() & 0xFFU);
      text += c == '"' || c == '\\' ? 'x' : c;
    }
    JsonMender mender;
    const std::string made = mended("[\"" + text + "\"]", 1 + random() % 9, mender);
    EXPECT_TRUE(nlohmann::json::accept(made)) << made;
    // What is valid stays.
    EXPECT_EQ(
        mender.bytes() + mender.controls(),
        static_cast<std::uint64_t>(std::ranges::count(made, '?') - std::ranges::count(text, '?')));
  }
}

}  // namespace
}  // namespace prof::importers
