// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How many pairs of a query and a key attention computes. Sequences that lie behind each other in
// one tensor (packed) state how many there are, how many tokens they have together and the length
// of the longest; where each one begins is in a tensor, whose values no trace has. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace prof::ops {

/// Query i of Q sees keys up to i (kTopLeft), or up to i + K - Q (kBottomRight).
enum class CausalMask : std::uint8_t { kNone, kTopLeft, kBottomRight };

/// Pairs of a query and a key in one sequence and head.
double pairs_of_sequence(double queries, double keys, CausalMask mask);

struct PackedSequences {
  double count = 0;
  double queries = 0;          ///< Total of all sequences.
  std::optional<double> keys;  ///< Likewise; absent: they are in a cache, which has room for more.
  std::optional<double> longest_query = {}, longest_key = {};
};

struct PackedPairs {
  double count = 0;  ///< Pairs of one head in all sequences.
  struct Lengths {
    double queries = 0, keys = 0;
  };
  std::optional<Lengths> each = {};  ///< All sequences have these.
  bool is_upper_bound = false;       ///< The lengths may differ so much that nothing else is known.
};

/// Nullopt: the longest sequences are not stated.
std::optional<PackedPairs> packed_pairs(const PackedSequences& sequences, CausalMask mask);

}  // namespace prof::ops
