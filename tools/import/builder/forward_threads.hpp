// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ForwardThreads: profilers name the thread of a backward node's forward op by a number of the
// framework's own. Which thread that is follows from nodes whose sequence number only one thread
// has used. Bounded memory. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "libprof/model/records.hpp"

namespace prof::importers {

class ForwardThreads {
 public:
  ForwardThreads() : numbers_(kNumbers) {}

  /// A forward op with that number ran on the thread.
  void saw(std::uint64_t sequence, ThreadId thread) {
    Number& number = numbers_[sequence % kNumbers];
    if (number.sequence != sequence || !number.thread) {
      number = {sequence, thread, false};
    } else {
      number.is_shared |= number.thread != thread;
    }
  }

  /// The thread of a node's forward op; none: not known so far.
  ThreadId thread_of(std::uint32_t framework_thread, std::uint64_t sequence) {
    const Number& number = numbers_[sequence % kNumbers];
    if (number.sequence == sequence && number.thread && !number.is_shared) {
      ++votes_[{framework_thread, number.thread.value}];
    }
    ThreadId most;
    std::uint64_t votes = 0;
    const std::uint32_t key = framework_thread;
    for (auto vote = votes_.lower_bound({key, 0}); vote != votes_.end(); ++vote) {
      if (vote->first.first != key) break;
      if (vote->second > votes) most = ThreadId{vote->first.second};
      votes = std::max(votes, vote->second);
    }
    return most;
  }

 private:
  static constexpr std::size_t kNumbers = 1U << 16;
  struct Number {
    std::uint64_t sequence = 0;
    ThreadId thread;
    bool is_shared = false;  // several threads have it
  };

  std::vector<Number> numbers_;  // by the low bits of the sequence number
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> votes_;
};

}  // namespace prof::importers
