// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// FlowTies: which range an end of a flow is at. Ranges are asked for, and flows read, in the order
// of their times. Memory is that of the flows that have begun and not ended, up to a limit. One
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tools/import/builder/slice.hpp"

namespace prof::importers {

class FlowTies {
 public:
  /// An op or a node, as stated by its end of the flow.
  struct Tie {
    std::uint64_t id = 0;
    ThreadId forward_thread;  ///< For a node: the thread on which its op ran; none: not known.
  };

  /// For the range that starts there then. `next` gives the flows in their order, null at the end.
  std::optional<Tie> at(std::int64_t time_ns, ThreadId thread,
                        const std::function<const Flow*()>& next) {
    if (!is_reading_) take(next());
    is_reading_ = true;
    if (time_ns != now_ns_) leave_now();
    now_ns_ = time_ns;
    while (ahead_ && ahead_->time_ns <= time_ns) {
      if (!ahead_->is_end && begun_.size() < kMaxBegun) begun_[ahead_->id] = ahead_->thread;
      now_.push_back(*ahead_);
      if (ahead_->time_ns < time_ns) leave_now();
      take(next());
    }
    const auto here = std::ranges::find(now_, thread, &Flow::thread);
    if (here == now_.end()) return std::nullopt;
    return Tie{here->id, here->is_end ? begun_at(here->id) : ThreadId{}};
  }

 private:
  static constexpr std::size_t kMaxBegun = 1U << 20;

  void take(const Flow* flow) { ahead_ = flow == nullptr ? std::nullopt : std::optional(*flow); }

  void leave_now() {
    for (const Flow& flow : now_) {
      if (flow.is_end) begun_.erase(flow.id);
    }
    now_.clear();
  }

  [[nodiscard]] ThreadId begun_at(std::uint64_t id) const {
    const auto found = begun_.find(id);
    return found == begun_.end() ? ThreadId{} : found->second;
  }

  bool is_reading_ = false;
  std::optional<Flow> ahead_;  // the first one that is not in now_
  std::int64_t now_ns_ = INT64_MIN;
  std::vector<Flow> now_;
  std::unordered_map<std::uint64_t, ThreadId> begun_;
};

}  // namespace prof::importers
