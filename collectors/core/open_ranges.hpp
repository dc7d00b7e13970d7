// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenRanges: the ranges that are open on one thread, as its events say. Most ops that a framework
// reports only prepare others: they make no CUDA call, and nothing refers to them. So an op is
// held back until something happens in it, and then recorded with all around it; one in which
// nothing happens is counted with the range around it (HostOps). A node of autograd that has ended
// may still matter: what is launched behind it, in the same engine call, adds its gradients. It is
// held as long as the op around it. The recorder's worker only.
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

/// What a thread's ranges become.
class RangeTaker {
 public:
  virtual ~RangeTaker() = default;
  virtual void take(const RangeRecord& range) = 0;
  /// The range is recorded: what its source keeps of it.
  virtual OpFact fact_of(const OpEvent& op, std::string_view text, std::string_view bytes) = 0;
  virtual void take(const HostOpRecord& ops) = 0;
};

class OpenRanges {
 public:
  /// A range opens: all around it is recorded.
  void push(const RangeRecord& range, std::string_view numbers, RangeTaker& taker);
  /// An op opens, whose text is `range`'s.
  void push_op(const RangeRecord& range, const OpEvent& event, std::string_view text,
               std::string_view bytes, RangeTaker& taker);
  void pop(RangeId id, std::int64_t end_ns, RangeTaker& taker);
  /// From now on the range is on another stack, by another id.
  void alias(const AliasEvent& event, RangeTaker& taker);
  /// Something has happened: the ops that are open are recorded.
  void need(RangeTaker& taker) {
    if (!open_.empty() && !open_.back()->is_needed) need_held(taker);
  }
  /// The same for a call, which is more than the ops inside.
  void call(RangeTaker& taker) {
    need(taker);
    if (!open_.empty()) open_.back()->has_more = true;
  }
  /// What follows is counted apart, since it may be of another step.
  void begin_piece(RangeTaker& taker);

  /// The ranges that are open and not recorded yet, and what was counted so far.
  void record_open(RangeTaker& taker);
  /// The thread writes its open ranges again, with other ids.
  void restart(RangeTaker& taker);
  /// Returns the number of ranges that did not end.
  std::uint64_t finish(RangeTaker& taker);

 private:
  /// What an op that is held back may still become.
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
    std::vector<Alias> aliases;  ///< Of the stacks that it has been on since.
    std::size_t recorded_aliases = 0;
    std::string numbers;
    Held op;
    HostOps host_ops;
    std::vector<Open> ended;     ///< Nodes that are recorded if it is.
    std::int64_t inside_ns = 0;  ///< Of the counted ops directly inside.
    std::uint32_t inside = 0;    ///< How many.
    StringId last_inside;        ///< The last one's name.
    bool has_more = false;       ///< Recorded ranges, or calls.
    bool is_needed = true;
    bool is_recorded = false;  ///< Recorded as open.
    bool is_cut = false;       ///< Some of its ops have been recorded.
  };

  void need_held(RangeTaker& taker);
  static void keep_op(Open& op, RangeTaker& taker);
  void end_held(Open& op, std::int64_t end_ns, RangeTaker& taker);
  static void count(const Open& op, HostOps& to);
  /// An op that only calls one of its name, another overload, is one call, as torch.profiler has
  /// it. `counted` has the inner one.
  static void join_repeat(const Open& op, HostOps& counted);
  /// Where in open_ the range with that id is, or its size.
  [[nodiscard]] std::size_t find(RangeId id) const;
  static void record_range(Open& range, RangeTaker& taker);
  static void record_aliases(Open& range, RangeTaker& taker);
  static void record_host_ops(Open& range, RangeTaker& taker);

  /// In the order in which they were opened, which is that of their ids. By pointer: one that ends
  /// before those inside moves thousands.
  std::vector<std::unique_ptr<Open>> open_;
  HostOps outermost_;
  ThreadId thread_;
};

}  // namespace prof::collectors
