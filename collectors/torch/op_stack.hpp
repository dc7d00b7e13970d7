// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpStack: the ops that a thread is in and that were reported to the collector, by the addresses of
// their at::RecordFunction, which live from begin to end. An op may end late, and on another thread
// (rpc, futures), where this stack does not know it: it then stays until one around it ends.
// Threads: one.
#pragma once

#include <cstdint>

#include "collectors/ops/op_sink.hpp"

namespace prof::collectors {

class OpStack {
 public:
  static constexpr std::uint32_t kMaxDepth = 512;

  [[nodiscard]] bool has_room() const { return depth_ < kMaxDepth; }
  void push(const void* function) { functions_[depth_++] = function; }

  /// Ends the op, and all ops that are still open inside it.
  void pop(const void* function, const OpSink& sink) {
    std::uint32_t at = depth_;
    while (at != 0 && functions_[at - 1] != function) --at;
    if (at == 0) return;
    owed_ += depth_ - (at - 1);
    depth_ = at - 1;
    settle(sink);
  }

  /// Reports the ends that were not accepted earlier. False: they are not accepted now either.
  bool settle(const OpSink& sink) {
    for (; owed_ != 0; --owed_) {
      if (!sink.end()) return false;
    }
    return true;
  }

 private:
  std::uint32_t depth_ = 0;
  std::uint32_t owed_ = 0;
  const void* functions_[kMaxDepth] = {};
};

}  // namespace prof::collectors
