// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/attention_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace prof::ops {
namespace {

/// Bounds that are further apart are no estimate.
constexpr double kWidestBounds = 1.25;

struct Bounds {
  double least = 0, most = 0;
};

/// True if two whole numbers are equal.
bool are_equal(double a, double b) { return std::abs(a - b) < 0.5; }

/// The length of every sequence: those of a total that only `count` longest ones reach.
std::optional<double> common_length(double count, double total, std::optional<double> longest) {
  if (count < 1 || total < count) return std::nullopt;
  if (count < 2) return total;
  if (!longest) return std::nullopt;
  return are_equal(count * *longest, total) ? longest : std::nullopt;
}

/// The sum of the squares of the lengths: least where they are equal, most where as many as
/// possible are the longest.
std::optional<Bounds> sum_of_squares(double count, double total, std::optional<double> longest) {
  if (!longest || *longest < 1 || *longest > total || count * *longest < total) return std::nullopt;
  const double whole = std::floor(total / *longest);
  const double rest = total - whole * *longest;
  return Bounds{total * total / count, whole * *longest * *longest + rest * rest};
}

/// Where the lengths differ. A sequence has as many keys as queries, or more.
std::optional<Bounds> bounds_of(const PackedSequences& in, CausalMask mask) {
  if (!in.keys) return std::nullopt;
  const auto queries = common_length(in.count, in.queries, in.longest_query);
  const auto keys = common_length(in.count, *in.keys, in.longest_key);
  const auto exactly = [](double pairs) { return Bounds{pairs, pairs}; };
  if (mask == CausalMask::kNone && queries) return exactly(*queries * *in.keys);
  if (mask == CausalMask::kNone && keys) return exactly(*keys * in.queries);
  if (*in.keys < in.queries) return std::nullopt;
  if (queries) {
    const double below = in.queries * (*queries - 1) / 2;
    const bool is_top_left = mask == CausalMask::kTopLeft;
    return exactly(is_top_left ? in.queries + below : *queries * *in.keys - below);
  }
  const auto squares = sum_of_squares(in.count, in.queries, in.longest_query);
  if (!squares) return std::nullopt;
  if (keys && mask == CausalMask::kBottomRight) {
    const double all = *keys * in.queries;
    return Bounds{all - (squares->most - in.queries) / 2, all - (squares->least - in.queries) / 2};
  }
  const bool is_self =
      are_equal(*in.keys, in.queries) && are_equal(in.longest_key.value_or(0), *in.longest_query);
  if (!is_self) return std::nullopt;
  if (mask == CausalMask::kNone) return squares;
  return Bounds{(squares->least + in.queries) / 2, (squares->most + in.queries) / 2};
}

/// As many sequences as possible are the longest, one has the rest.
struct Uneven {
  double longest = 0, whole = 0, rest = 0;

  [[nodiscard]] double squares() const { return whole * longest * longest + rest * rest; }
};

std::optional<Uneven> most_uneven(double count, double total, std::optional<double> longest) {
  if (!longest || *longest < 1 || total < 1 || count * *longest < total) return std::nullopt;
  Uneven made{std::min(*longest, total)};
  made.whole = std::floor(total / made.longest);
  made.rest = std::max(total - made.whole * made.longest, 0.0);
  return made;
}

/// No batch has more. The sum of q·k is largest where the longest queries meet the longest keys and
/// both are as uneven as they can be (rearrangement and majorization: Hardy, Littlewood, Polya,
/// Inequalities, 10.2 and 2.18). Under a mask that ends at the last query and key, a sequence has
/// k(k + 1)/2 pairs at most, under one that begins at the first, q(q + 1)/2.
std::optional<double> most_pairs(const PackedSequences& in, CausalMask mask) {
  if (!in.keys) return std::nullopt;
  const auto queries = most_uneven(in.count, in.queries, in.longest_query);
  const auto keys = most_uneven(in.count, *in.keys, in.longest_key);
  if (!queries || !keys) return std::nullopt;
  const double fewer = std::min(queries->whole, keys->whole);
  const double more = std::max(queries->whole, keys->whole);
  double most = fewer * queries->longest * keys->longest;
  const bool has_more_queries = queries->whole > keys->whole;
  const Uneven& one = has_more_queries ? *queries : *keys;
  const Uneven& other = has_more_queries ? *keys : *queries;
  most += other.rest * (more > fewer ? one.longest : one.rest);
  if (mask == CausalMask::kBottomRight) return std::min(most, (keys->squares() + *in.keys) / 2);
  if (mask == CausalMask::kTopLeft) return std::min(most, (queries->squares() + in.queries) / 2);
  return most;
}

/// The lengths that all sequences have.
std::optional<PackedPairs::Lengths> common_lengths(const PackedSequences& in) {
  const auto queries = common_length(in.count, in.queries, in.longest_query);
  if (!queries) return std::nullopt;
  if (in.keys) {
    const auto keys = common_length(in.count, *in.keys, in.longest_key);
    return keys ? std::optional(PackedPairs::Lengths{*queries, *keys}) : std::nullopt;
  }
  // No sequence has more keys than these queries: the cache holds none from before them.
  if (!are_equal(in.longest_key.value_or(0), *queries)) return std::nullopt;
  return PackedPairs::Lengths{*queries, *queries};
}

}  // namespace

double pairs_of_sequence(double queries, double keys, CausalMask mask) {
  if (mask == CausalMask::kNone) return queries * keys;
  const double common = std::min(queries, keys);
  const double triangle = common * (common + 1) / 2;
  if (mask == CausalMask::kBottomRight) return triangle + common * std::max(keys - queries, 0.0);
  return triangle + std::max(queries - keys, 0.0) * keys;
}

std::optional<PackedPairs> packed_pairs(const PackedSequences& sequences, CausalMask mask) {
  if (const auto each = common_lengths(sequences)) {
    return PackedPairs{sequences.count * pairs_of_sequence(each->queries, each->keys, mask), each};
  }
  const auto bounds = bounds_of(sequences, mask);
  if (bounds && bounds->least > 0 && bounds->most <= kWidestBounds * bounds->least) {
    return PackedPairs{(bounds->least + bounds->most) / 2};
  }
  const auto most = most_pairs(sequences, mask);
  if (!most) return std::nullopt;
  return PackedPairs{*most, {}, true};
}

}  // namespace prof::ops
