// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenRanges: the open ranges of one thread, reconstructed from its events. Most ops that a
// framework reports only prepare others: they make no CUDA call, and nothing refers to them. So an
// op is held back until an event occurs in it, and then recorded with all ranges around it; one
// without events is counted with the range around it (HostOps). A node of autograd that has ended
// may still matter: work launched after it, in the same engine call, adds its gradients. It is held
// as long as the op around it. Used by the recorder's worker only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/core/events.hpp"
#include "collectors/core/host_ops.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

/// Receives the records of a thread's ranges.
class RangeTaker {
 public:
  virtual ~RangeTaker() = default;
  virtual void take(const RangeRecord& range) = 0;
  /// The fact that the source of a recorded op keeps of it.
  virtual OpFact fact_of(const OpEvent& op, std::string_view text, std::string_view bytes) = 0;
  virtual void take(const HostOpRecord& ops) = 0;
};

class OpenRanges {
 public:
  /// Opens a range: all ranges around it are recorded.
  void push(const RangeRecord& range, std::string_view numbers, RangeTaker& taker);
  /// Opens an op, whose text is that of `range`.
  void push_op(const RangeRecord& range, const OpEvent& event, std::string_view text,
               std::string_view bytes, RangeTaker& taker);
  void pop(RangeId id, std::int64_t end_ns, RangeTaker& taker);
  /// Moves the range to another stack, under another id.
  void alias(const AliasEvent& event, RangeTaker& taker);
  /// An event has occurred: the open ops are recorded.
  void need(RangeTaker& taker) {
    if (!open_.empty() && !open_.back()->is_needed) need_held(taker);
  }
  /// A call has occurred. It counts as more than the ops inside the range.
  void call(RangeTaker& taker) {
    need(taker);
    if (!open_.empty()) open_.back()->has_more = true;
  }
  /// Ops that follow are counted separately, since they may belong to another step.
  void begin_piece(RangeTaker& taker);

  /// Records the open ranges that are not recorded yet, and the counts so far.
  void record_open(RangeTaker& taker);
  /// The thread writes its open ranges again, with other ids.
  void restart(RangeTaker& taker);
  /// Returns the number of ranges that did not end.
  std::uint64_t finish(RangeTaker& taker);

 private:
  /// Data of an op that is held back until it is known whether it is recorded.
  struct Held {
    OpEvent event{};
    std::string text, bytes;
  };
  struct Alias {
    RangeId id = 0;
    RangeId parent = 0;
  };
  struct Open {
    RangeRecord record;
    std::vector<Alias> aliases;  ///< The stacks that it has been on since it opened.
    std::size_t recorded_aliases = 0;
    std::string numbers;
    Held op;
    HostOps host_ops;
    std::vector<Open> ended;     ///< Nodes that are recorded if this one is.
    std::int64_t inside_ns = 0;  ///< Total time of the counted ops directly inside.
    std::uint32_t inside = 0;    ///< Number of these ops.
    StringId last_inside;        ///< Name of the last one.
    bool has_more = false;       ///< Contains recorded ranges or calls.
    bool is_needed = true;
    bool is_recorded = false;  ///< Recorded while open.
    bool is_cut = false;       ///< Some of its ops have been recorded.
  };

  void need_held(RangeTaker& taker);
  static void keep_op(Open& op, RangeTaker& taker);
  void end_held(Open& op, std::int64_t end_ns, RangeTaker& taker);
  static void count(const Open& op, HostOps& to);
  /// Joins an op that only calls an op of the same name, another overload, with it into one call,
  /// as torch.profiler does. `counted` holds the inner one.
  static void join_repeat(const Open& op, HostOps& counted);
  /// The index in open_ of the range with that id, or its size.
  [[nodiscard]] std::size_t find(RangeId id) const;
  static void record_range(Open& range, RangeTaker& taker);
  static void record_aliases(Open& range, RangeTaker& taker);
  static void record_host_ops(Open& range, RangeTaker& taker);

  /// In the order in which they were opened, which is that of their ids. Stored by pointer,
  /// since a range that ends before those inside it moves thousands of entries.
  std::vector<std::unique_ptr<Open>> open_;
  HostOps outermost_;
  ThreadId thread_;
};

}  // namespace prof::collectors
