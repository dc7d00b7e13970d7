// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadFacts: what a trace knows about its threads, as cells.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "libprof/store/read/trace_reader.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// The trace must outlive it.
class ThreadFacts {
 public:
  explicit ThreadFacts(TraceReader& trace) {
    for (const ThreadRow& thread : trace.threads()) threads_.emplace(thread.id.value, &thread);
  }

  /// Null for an unknown thread.
  [[nodiscard]] const ThreadRow* find(ThreadId id) const {
    const auto found = threads_.find(id.value);
    return found != threads_.end() ? found->second : nullptr;
  }
  [[nodiscard]] Cell os_tid(ThreadId id) const {
    const ThreadRow* thread = find(id);
    return thread != nullptr ? number(thread->os_tid) : absent();
  }
  [[nodiscard]] Cell pid(ThreadId id) const {
    const ThreadRow* thread = find(id);
    return thread != nullptr && thread->process != 0 ? number(thread->process) : absent();
  }
  [[nodiscard]] Cell name(ThreadId id) const {
    const ThreadRow* thread = find(id);
    return thread != nullptr ? text(thread->name) : absent();
  }

 private:
  std::unordered_map<std::uint32_t, const ThreadRow*> threads_;
};

}  // namespace prof::reports
