// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/string_interner.hpp"

#include <gtest/gtest.h>

#include "tests/unit/source/recording_sink.hpp"

namespace prof {
namespace {

TEST(StringInternerTest, TellsEachTextOnceBeforeItsUse) {
  RecordingSink sink;
  StringInterner interner;
  const StringId a = interner.intern("a", sink);
  EXPECT_EQ(interner.intern("a", sink), a);
  const StringId b = interner.intern("b", sink);
  EXPECT_NE(a, b);
  EXPECT_TRUE(a);
  ASSERT_EQ(sink.records.size(), 2u);
  EXPECT_EQ(std::get<StringRecord>(sink.records[1]), (StringRecord{b, "b"}));
}

TEST(StringInternerTest, TheEmptyTextIsNone) {
  RecordingSink sink;
  StringInterner interner;
  EXPECT_EQ(interner.intern("", sink), StringId{});
  EXPECT_TRUE(sink.records.empty());
}

TEST(StringInternerTest, TextsThatDifferInNumbersShareATemplate) {
  RecordingSink sink;
  StringInterner interner;
  const auto one = interner.intern_split("op, seq = 1", sink);
  EXPECT_EQ(decode_numbers(one.numbers), (std::vector<std::uint64_t>{1}));
  const auto two = interner.intern_split("op, seq = 2", sink);
  EXPECT_EQ(decode_numbers(two.numbers), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(one.text, two.text);
  EXPECT_EQ(sink.records.size(), 1u);
}

TEST(StringInternerTest, TheCapHoldsAndOverflowIsCounted) {
  RecordingSink sink;
  StringInterner interner(1000);
  const StringId first = interner.intern("first", sink);
  std::uint64_t refused = 0;
  for (int i = 0; i < 100; ++i) {
    const bool over = interner.intern("text " + std::to_string(i), sink) == kOverflowString;
    refused += over ? 1 : 0;
  }
  EXPECT_GT(refused, 50u);
  EXPECT_LE(interner.bytes(), 1000u);
  EXPECT_EQ(interner.intern("first", sink), first) << "what is there stays";
  const auto split = interner.intern_split("some, seq = 5", sink);
  EXPECT_EQ(split.text, kOverflowString);
  EXPECT_TRUE(split.numbers.empty());

  sink.records.clear();
  interner.report_losses(sink, 77);
  ASSERT_EQ(sink.records.size(), 1u);
  const auto& loss = std::get<LossRecord>(sink.records[0]);
  EXPECT_EQ(loss.what, "string_table_full");
  EXPECT_EQ(loss.count, refused + 1);
  EXPECT_EQ(loss.last_ns, 77);
  interner.report_losses(sink, 78);
  EXPECT_EQ(sink.records.size(), 1u) << "told once";
}

}  // namespace
}  // namespace prof
