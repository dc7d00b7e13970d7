// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ForwardIndex: finds the range of a backward node's forward op. Reads the trace's ranges once, in
// the order of their ids, keeping up with the launches, including ranges that launched nothing: a
// view has a backward too. Holds numbers, no meanings, in bounded memory. A trace whose texts have
// no numbers is not read at all. docs/decisions/0006-pytorch.md explains why. One
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyzers/base/recent_map.hpp"
#include "analyzers/ranges/range_texts.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class ForwardIndex {
 public:
  /// Remembers at most twice `max_numbers` sequence numbers.
  ForwardIndex(TraceReader& reader, RangeTexts& texts, std::size_t max_numbers);

  /// False: the trace has no numbered ranges, so nothing can be found.
  [[nodiscard]] bool active() const { return active_; }

  /// Reads on until every range opened up to `time_ns` is known.
  void advance(std::int64_t time_ns) {
    if (active_ && frontier_ns_ <= time_ns) read_until(time_ns);
  }

  struct Found {
    RangeId range = 0;          ///< 0: none.
    std::uint32_t thread = 0;   ///< Thread of that range.
    bool name_matches = false;  ///< Its name matches the forward op of such nodes.
    bool ambiguous = false;     ///< Another thread has a matching range with that number.
  };
  /// The last range with that sequence number opened before `before_ns`: the last of kin if there
  /// is one, otherwise the last of those that `ties` allow. Prefers ranges of `thread`.
  Found forward(std::uint64_t seq, const dialects::GraphTies& ties, std::int64_t before_ns,
                std::optional<std::uint32_t> thread = {});

  /// The range with that op_id, 0 if unknown or forgotten.
  [[nodiscard]] RangeId with_op_id(std::uint64_t op_id) const;
  /// The producer of the gradient that a node accumulates: the last other node on its thread, 0 if
  /// unknown or forgotten. The engine accumulates what a node has made before it evaluates another
  /// one. A node of another thread may have made it, too: 0 if one was evaluated since then.
  [[nodiscard]] RangeId producer_of(const RangeRow& accumulating) const;
  /// The node that the engine evaluates in that range, 0 if unknown or forgotten.
  [[nodiscard]] RangeId node_in(RangeId evaluate) const;

 private:
  struct Entry {
    RangeId range = 0;
    std::int64_t start_ns = 0;
    std::uint32_t thread = 0;
    std::uint32_t kinship = 0;  // its low bits
    bool is_builtin = false;    // the framework's own op
    bool is_composite = false;
    std::uint32_t previous = 0;  // distance to the previous entry with the same number; 0: none

    /// A node that does not have the op's name.
    [[nodiscard]] bool may_make(dialects::GraphTies::Unnamed node) const {
      using Unnamed = dialects::GraphTies::Unnamed;
      if (node == Unnamed::kComposite) return is_composite;
      return node == Unnamed::kAny || !is_builtin;
    }
  };
  struct Pair {
    std::uint64_t key = 0;
    RangeId range = 0;
  };

  /// The last nodes of a thread that do not accumulate, in a ring.
  struct Evaluated {
    struct Node {
      RangeId range = 0;
      std::int64_t start_ns = 0, end_ns = 0;
    };
    static constexpr std::size_t kNodes = 256;
    std::array<Node, kNodes> nodes;
    std::uint64_t count = 0;

    void add(const RangeRow& range);
    [[nodiscard]] RangeId last() const { return count == 0 ? 0 : at(count - 1).range; }
    [[nodiscard]] const Node& at(std::uint64_t number) const { return nodes[number % kNodes]; }
    /// From where on all are known.
    [[nodiscard]] std::uint64_t first() const { return count > kNodes ? count - kNodes : 0; }
    /// Null if unknown or forgotten.
    [[nodiscard]] const Node* find(RangeId range) const;
    /// One of them may have run between these times.
    [[nodiscard]] bool ran_between(std::int64_t begin_ns, std::int64_t end_ns) const;
  };

  void read_until(std::int64_t time_ns);
  void take(const RangeRow& range);
  void remember(std::uint64_t seq, const Entry& entry);
  void start_generation();
  void grow();
  Entry& entry(std::uint64_t number) { return entries_[number & (entries_.size() - 1)]; }

  TraceReader& reader_;
  RangeTexts& texts_;
  const std::size_t max_numbers_;
  bool active_ = false;
  RangeId last_read_ = 0;
  std::int64_t block_ns_ = INT64_MIN;     // of the last read block's first range
  std::int64_t frontier_ns_ = INT64_MIN;  // no unread range is older

  // A ring of the ranges that have a number, in two generations. Positions start at 1.
  std::vector<Entry> entries_;
  std::uint64_t oldest_ = 1;  // the first of the old generation
  std::uint64_t young_ = 1;   // the first of the young one
  std::uint64_t next_ = 1;
  RecentMap<std::uint64_t> last_by_number_;  // by number + 1

  std::vector<Pair> by_op_id_, node_by_parent_, producers_;  // indexed by the low bits of the keys
  std::map<std::uint32_t, Evaluated> evaluated_;             // by thread
};

}  // namespace prof
