// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/forward_index.hpp"

#include <gtest/gtest.h>

#include <string>

#include "analyzers/base/recent_map.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

constexpr std::int64_t kEnd = INT64_MAX - 1;

RangeId op(FakeTrace& trace, const std::string& name, int seq, std::uint32_t thread = 1) {
  const RangeId id = trace.push(name + ", seq = " + std::to_string(seq), thread);
  trace.pop(thread);
  return id;
}

/// Of a node of such an op.
dialects::GraphTies ties(FakeTrace& trace, RangeTexts& texts, RangeId range) {
  dialects::GraphTies made;
  made.kinship = texts.parse(*trace.range(range)).meaning.ties.kinship;
  return made;
}

TEST(ForwardIndexTest, TheLastOfKinOfManyNumbers) {
  FakeTrace trace;
  std::vector<RangeId> products;
  for (int seq = 0; seq < 5'000; ++seq) {
    op(trace, "aten::mm", seq);
    products.push_back(op(trace, "aten::mm", seq));
    op(trace, "aten::view", seq);
  }
  RangeTexts texts(trace, 1024);
  ForwardIndex index(trace, texts, 1U << 18);
  index.advance(kEnd);
  const dialects::GraphTies product = ties(trace, texts, products[0]);
  dialects::GraphTies none = product;
  ++none.kinship;
  dialects::GraphTies any = none;
  any.unnamed = dialects::GraphTies::Unnamed::kAny;
  for (std::uint64_t seq = 0; seq < products.size(); ++seq) {
    const ForwardIndex::Found found = index.forward(seq, product, kEnd);
    ASSERT_EQ(found.range, products[seq]);
    EXPECT_TRUE(found.name_matches);
    EXPECT_EQ(index.forward(seq, any, kEnd).range, products[seq] + 1) << "the last of all";
    EXPECT_EQ(index.forward(seq, none, kEnd).range, 0u);
  }
  EXPECT_EQ(index.forward(products.size(), product, kEnd).range, 0u);
  const std::int64_t before_ns = trace.range_row(products[7]).start_ns;
  EXPECT_EQ(index.forward(7, product, before_ns).range, products[7] - 1) << "opened before";
}

TEST(ForwardIndexTest, TwoGenerationsAreKept) {
  constexpr int kGeneration = 1'000;
  FakeTrace trace;
  for (int seq = 0; seq < 4 * kGeneration; ++seq) op(trace, "aten::mm", seq % (3 * kGeneration));
  RangeTexts texts(trace, 1024);
  ForwardIndex index(trace, texts, kGeneration);
  index.advance(kEnd);
  const dialects::GraphTies product = ties(trace, texts, 1);
  // The numbers of the first thousand came again in the last; the second thousand is forgotten.
  EXPECT_EQ(index.forward(5, product, kEnd).range, 3 * kGeneration + 6u);
  EXPECT_EQ(index.forward(kGeneration + 5, product, kEnd).range, 0u);
  EXPECT_EQ(index.forward(2 * kGeneration + 5, product, kEnd).range, 2 * kGeneration + 6u);
}

TEST(ForwardIndexTest, SeveralThreadsAreAmbiguous) {
  FakeTrace trace;
  op(trace, "aten::mm", 3, 1);
  const RangeId last = op(trace, "aten::mm", 3, 2);
  RangeTexts texts(trace, 1024);
  ForwardIndex index(trace, texts, 100);
  index.advance(kEnd);
  const ForwardIndex::Found found = index.forward(3, ties(trace, texts, last), kEnd);
  EXPECT_EQ(found.range, last);
  EXPECT_TRUE(found.ambiguous);
}

TEST(RecentMapTest, NewKeysTakeThePlacesOfOldOnes) {
  RecentMap<int> map(4);
  EXPECT_EQ(map.find(0), nullptr);
  for (int key = 1; key <= 6; ++key) map.put(static_cast<std::uint64_t>(key), 10 * key);
  EXPECT_EQ(map.find(1), nullptr);
  EXPECT_EQ(map.find(2), nullptr);
  for (int key = 3; key <= 6; ++key) {
    ASSERT_NE(map.find(static_cast<std::uint64_t>(key)), nullptr);
    EXPECT_EQ(*map.find(static_cast<std::uint64_t>(key)), 10 * key);
  }
  map.clear();
  EXPECT_EQ(map.find(3), nullptr);
}

}  // namespace
}  // namespace prof
