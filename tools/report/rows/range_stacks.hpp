// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranges of one trace that were open at some point: RangeStack follows a thread's stack,
// ProcessRanges finds the other ranges around a launch. Both look ranges up and keep only what is
// open. A program that leaks ranges has stacks of any depth: what a move costs depends on what
// changes, not on the depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libprof/store/read/trace_reader.hpp"

namespace prof::reports {

/// Around a launch, and of the process at a time on a thread: what lies under a range grows with
/// the product of both, so more of them are left out, each wholly.
inline constexpr std::size_t kMaxRangesAround = 256;

/// The stack on which a range was opened, itself last.
struct RangePath {
  /// Deeper paths lose their outer part.
  static constexpr std::size_t kMaxIds = 64;

  std::vector<RangeId> ids;  ///< Outermost first.
  std::size_t length = 0;    ///< The depth, with the ranges left out of `ids`.

  void push(RangeId id);
  [[nodiscard]] bool is_cut() const { return length > ids.size(); }
};

/// The push/pop ranges that are open on one thread.
class RangeStack {
 public:
  explicit RangeStack(TraceReader& trace) : trace_(&trace) {}

  /// Moves to the stack of `innermost`. Returns how many ranges, from the outermost on, stay.
  std::size_t move_to(RangeId innermost);
  /// Openings, outermost first. Valid until the next move.
  [[nodiscard]] std::span<const RangeRef> openings() const { return openings_; }
  /// The ids of their rows, which may be aliases.
  [[nodiscard]] std::span<const RangeId> rows() const { return rows_; }
  static constexpr std::string_view kLeftOut =
      "more than 256 closed ranges lie around a launch: those more than 256 deep are left out";
  /// The ranges of openings() that were closed at some time; only the innermost ones if there are
  /// more than kMaxRangesAround.
  [[nodiscard]] std::span<const RangeRef> closed() const { return closed_; }
  /// Some ranges of some stack are left out of closed().
  [[nodiscard]] bool left_out() const { return left_out_; }

  [[nodiscard]] RangePath path(const RangeRow& opening) const;

 private:
  /// An alias of an opening that the trace lacks stands for itself.
  [[nodiscard]] RangeRef opening_or_self(const RangeRef& range) const;
  void keep(std::size_t count);

  TraceReader* trace_;
  std::vector<RangeId> rows_;
  std::vector<RangeRef> openings_, closed_;
  std::vector<std::size_t> closed_up_to_;  // how many of `closed_` are up to each
  std::vector<RangeRef> new_rows_;         // innermost first
  bool left_out_ = false;
};

/// Ranges of the process, on no stack, around launches. Asked in launch order.
class ProcessRanges {
 public:
  static constexpr std::string_view kLeftOut =
      "more than 256 ranges of the process are open at a time on a thread: those that begin then "
      "are "
      "left out";

  explicit ProcessRanges(TraceReader& trace);

  /// Ranges that were started and ended on the launching thread, around the launching call. Empty
  /// if nothing is known about the launch. Valid until the next call.
  [[nodiscard]] std::span<const RangeRef> around(const GpuRow& work);
  /// Some ranges have been left out so far.
  [[nodiscard]] bool left_out() const { return left_out_; }

 private:
  struct Known {
    RangeId id = 0;
    std::int64_t start_ns = 0, end_ns = 0;
  };
  struct Open {
    RangeRef range;
    std::int64_t end_ns = 0;
  };
  struct OfThread {
    std::vector<Known> ranges;  // by start
    std::size_t next = 0;       // the first that has not begun
    std::vector<Open> open;
  };

  TraceReader& trace_;
  std::unordered_map<std::uint32_t, OfThread> threads_;
  std::vector<RangeRef> around_;
  bool left_out_ = false;
};

}  // namespace prof::reports
