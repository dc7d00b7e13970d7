// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/attention_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace prof::ops {
namespace {

constexpr CausalMask kMasks[] = {CausalMask::kNone, CausalMask::kTopLeft, CausalMask::kBottomRight};

/// Query by query.
double counted(int queries, int keys, CausalMask mask) {
  double pairs = 0;
  for (int i = 0; i < queries; ++i) {
    const int last = mask == CausalMask::kNone      ? keys - 1
                     : mask == CausalMask::kTopLeft ? i
                                                    : i + keys - queries;
    pairs += std::clamp(last + 1, 0, keys);
  }
  return pairs;
}

struct Batch {
  std::vector<int> queries, keys;

  [[nodiscard]] double pairs(CausalMask mask) const {
    double all = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) all += counted(queries[i], keys[i], mask);
    return all;
  }
  /// What the op states.
  [[nodiscard]] PackedSequences stated() const {
    PackedSequences made{static_cast<double>(queries.size()), 0, 0.0};
    for (const int length : queries) made.queries += length;
    for (const int length : keys) *made.keys += length;
    made.longest_query = *std::max_element(queries.begin(), queries.end());
    made.longest_key = *std::max_element(keys.begin(), keys.end());
    return made;
  }
};

TEST(AttentionPairs, OfASequenceAreCountedQueryByQuery) {
  for (const CausalMask mask : kMasks) {
    for (const int queries : {1, 2, 5, 9}) {
      for (const int keys : {1, 2, 5, 9}) {
        EXPECT_EQ(pairs_of_sequence(queries, keys, mask), counted(queries, keys, mask))
            << queries << " " << keys;
      }
    }
  }
}

TEST(AttentionPairs, OfEqualLengthsAreThoseOfOneTimesTheirNumber) {
  for (const CausalMask mask : kMasks) {
    const auto pairs = packed_pairs(Batch{{64, 64, 64}, {96, 96, 96}}.stated(), mask);
    ASSERT_TRUE(pairs && pairs->each);
    EXPECT_EQ(pairs->count, 3 * counted(64, 96, mask));
    EXPECT_EQ(pairs->each->queries, 64);
    EXPECT_EQ(pairs->each->keys, 96);
  }
}

TEST(AttentionPairs, OfOneQueryEachFollowFromTheKeys) {
  const Batch decode{{1, 1, 1}, {70, 3, 12}};
  for (const CausalMask mask : {CausalMask::kNone, CausalMask::kBottomRight}) {
    const auto pairs = packed_pairs(decode.stated(), mask);
    ASSERT_TRUE(pairs);
    EXPECT_EQ(pairs->count, 85);
    EXPECT_FALSE(pairs->each);
  }
}

TEST(AttentionPairs, HaveAnUpperBoundWhereLengthsMayDifferMuch) {
  const auto pairs = packed_pairs(Batch{{100, 3, 3}, {100, 3, 3}}.stated(), CausalMask::kNone);
  ASSERT_TRUE(pairs);
  EXPECT_TRUE(pairs->is_upper_bound);
  EXPECT_EQ(pairs->count, 100 * 100 + 6 * 6);
  const auto crossed = packed_pairs(Batch{{60, 3, 9}, {70, 12, 20}}.stated(), CausalMask::kNone);
  ASSERT_TRUE(crossed);
  EXPECT_TRUE(crossed->is_upper_bound);
  EXPECT_EQ(crossed->count, 60 * 70 + 12 * 32);
}

TEST(AttentionPairs, AreUnknownWhereTheLongestIsNotStated) {
  PackedSequences without_longest{4, 256, 256.0};
  EXPECT_FALSE(packed_pairs(without_longest, CausalMask::kNone));
}

TEST(AttentionPairs, OfACacheAreKnownWhereNothingIsOlderThanTheQueries) {
  PackedSequences prefill{15, 15360, {}, 1024.0, 1024.0};
  const auto pairs = packed_pairs(prefill, CausalMask::kBottomRight);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->count, 15 * counted(1024, 1024, CausalMask::kBottomRight));
  prefill.longest_key = 2048;
  EXPECT_FALSE(packed_pairs(prefill, CausalMask::kBottomRight));
}

/// No batch has more pairs than its upper bound, whatever its lengths.
TEST(AttentionPairs, AreNeverMoreThanTheUpperBound) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): repeatable
  const auto upto = [&random](int limit) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  int bounds = 0;
  for (int round = 0; round < 20000; ++round) {
    Batch batch;
    const int longest = upto(40);
    const bool is_self = round % 2 == 0;
    for (int i = upto(8); i > 0; --i) {
      batch.queries.push_back(upto(longest));
      batch.keys.push_back(is_self ? batch.queries.back() : upto(longest));
    }
    for (const CausalMask mask : kMasks) {
      const auto pairs = packed_pairs(batch.stated(), mask);
      if (!pairs || !pairs->is_upper_bound) continue;
      ++bounds;
      EXPECT_GE(pairs->count, batch.pairs(mask));
    }
  }
  EXPECT_GT(bounds, 10000);
}

/// An estimate is within an eighth of the truth, for sequences that have as many keys as queries or
/// more.
TEST(AttentionPairs, AreNeverFarOff) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): repeatable
  const auto below = [&random](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  int known = 0;
  for (int round = 0; round < 20000; ++round) {
    Batch batch;
    const int longest = 1 + below(40), spread = 1 + below(longest);
    const bool has_cache = round % 3 == 0;
    for (int i = 1 + below(8); i > 0; --i) {
      batch.queries.push_back(longest - below(spread));
      batch.keys.push_back(batch.queries.back() + (has_cache ? below(30) : 0));
    }
    for (const CausalMask mask : kMasks) {
      const auto pairs = packed_pairs(batch.stated(), mask);
      if (!pairs || pairs->is_upper_bound) continue;
      ++known;
      const double truth = batch.pairs(mask);
      if (pairs->each) {
        EXPECT_EQ(pairs->count, truth);
      } else {
        EXPECT_NEAR(pairs->count, truth, truth / 8);
      }
    }
  }
  EXPECT_GT(known, 10000);
}

TEST(AttentionPairs, TakeAnyNumbers) {
  for (const double count : {-1.0, 0.0, 1.0, 3.0, 1e300}) {
    for (const double total : {0.0, 1.0, 7.0, 1e300}) {
      for (const double longest : {-5.0, 0.0, 1.0, 7.0, 1e300}) {
        for (const CausalMask mask : kMasks) {
          const auto pairs = packed_pairs({count, total, total, longest, longest}, mask);
          EXPECT_TRUE(!pairs || pairs->count > 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace prof::ops
