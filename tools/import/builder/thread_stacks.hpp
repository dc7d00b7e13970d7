// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadStacks: which slices of a thread are around which, from their times alone, and the ids that
// follow from it in the order of libprof/model/range_ids.hpp. Takes slices in their order; memory
// is that of the threads and of the slices that are open at once. One thread.
//
// Slices nest, but files round times and frameworks leave ranges in another order than they entered
// them. A slice that ends after the one around it (counted):
// - starts within the last microsecond of that one: follows it, the times were rounded;
// - is an op, as is that one, and ends later than rounding explains: is beside it, as an op ends
//   before the op that calls it does;
// - is anything else: is inside it, and from its end on stands without it: what is opened then is
//   under an alias of the slice, as if the program had popped out of order. A slice that overlaps
//   more than kMaxOverlaps others (counted) is around nothing after the first of them has ended:
//   with aliases of them all, a file of n slices would become a trace of n^2 ranges.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libprof/model/range_ids.hpp"
#include "libprof/model/records.hpp"
#include "tools/import/builder/slice.hpp"

namespace prof::importers {

class ThreadStacks {
 public:
  /// The unit of the times in older files.
  static constexpr std::int64_t kRoundingNs = 1'000;
  static constexpr std::uint32_t kMaxOverlaps = 16;

  /// A range that continues on a stack that has changed below it.
  struct Alias {
    Slice slice;
    RangeId id = 0;
    RangeId parent = 0;
    RangeId alias_of = 0;
  };
  struct Placed {
    std::vector<Alias> aliases;           ///< Opened before the slice.
    RangeId id = 0;                       ///< The range's own id, if the slice is one.
    RangeId stack = 0;                    ///< The innermost range around it.
    std::uint32_t depth = 0;              ///< For a call: the number of calls around it.
    std::uint64_t op_around = 0;          ///< Slice::op of the innermost op that has one.
    std::uint64_t annotation_around = 0;  ///< Likewise for an annotation inside that op; 0: none.
  };
  /// Valid until the next call.
  const Placed& place(const Slice& slice);

  [[nodiscard]] std::uint64_t overlapping() const { return overlapping_; }
  [[nodiscard]] std::uint64_t overlapping_too_deep() const { return overlapping_too_deep_; }

 private:
  /// The surroundings of an open slice, kept with it: walks of deep stacks would add up.
  struct Around {
    RangeId stack = 0;
    std::uint32_t calls = 0;
    std::uint32_t overlaps = 0;  // open ranges that end after one around them
    std::uint64_t op = 0, annotation = 0;
    std::int64_t first_end_ns = Slice::kNeverEnded;  // of all that is open
  };
  struct Open {
    Slice slice;
    RangeId id = 0;       // of the opening; 0: a call
    RangeId current = 0;  // of its last alias, or id
    RangeId parent = 0;   // under which that is
    Around inside;
  };
  struct Thread {
    std::vector<Open> open;
    RangeId next = 0, last = 0;  // of its block
  };

  static Around inside_of(const Open& open, Around around);
  /// Closes what has ended when the slice starts.
  void close_ended(Thread& thread, const Slice& slice);
  void reopen(Thread& thread, std::size_t first);
  RangeId new_id(Thread& thread);

  std::map<std::uint32_t, Thread> threads_;  // by id
  RangeId next_block_ = kFirstRange;
  std::uint64_t overlapping_ = 0;
  std::uint64_t overlapping_too_deep_ = 0;
  Placed placed_;
};

}  // namespace prof::importers
