// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenSlices: the slices of lanes that have begun and not ended, for formats that write a begin and
// an end. Slices come by start; each lies in the one before it of its lane, or comes after it.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace prof::exports {

class OpenSlices {
 public:
  struct Slice {
    std::uint64_t lane = 0;
    std::int64_t end_ns = 0;
    std::vector<std::uint64_t> launched{};  ///< Numbers of GPU work.
    std::uint64_t number = 0;               ///< In the order in which they began.
  };
  /// Called with each slice when it ends, by end; of equal ones in a lane, the inner first.
  using End = std::function<void(const Slice& slice)>;

  explicit OpenSlices(End end) : end_(std::move(end)) {}

  /// Ends what ends before that, in this lane also what ends just then.
  void begin(std::uint64_t lane, std::int64_t start_ns, std::int64_t end_ns);
  /// The lane's innermost slice launches that work. False: none is open.
  bool launch(std::uint64_t lane, std::uint64_t work);
  void end_before(std::int64_t time_ns);
  void end_all();

 private:
  struct Due {
    std::int64_t end_ns;
    std::uint64_t number, lane;
    bool operator>(const Due& other) const {
      return end_ns != other.end_ns ? end_ns > other.end_ns : number < other.number;
    }
  };

  void end_innermost(std::vector<Slice>& lane);
  void end_next();

  End end_;
  std::unordered_map<std::uint64_t, std::vector<Slice>> lanes_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;  // also of some that have ended
  std::uint64_t count_ = 0;
};

}  // namespace prof::exports
