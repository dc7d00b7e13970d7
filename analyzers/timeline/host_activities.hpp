// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HostActivities: what the threads of a trace do besides launching, as their ranges say (compilers,
// data loaders) and, where they are recorded, their calls of the operating system. Memory for each
// such stretch of time; one inside another of the same kind takes none.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzers/timeline/idle_cause.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class HostActivities {
 public:
  /// Reads the trace's ranges, if texts of some say what is done in them.
  explicit HostActivities(TraceReader& trace);
  HostActivities() = default;

  /// kCompile, kData or kSystem. For a trace it is the constructor's part.
  void add(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause);
  /// After the last one.
  void finish();

  /// Puts what the thread did in the place of weaker reasons. `parts` are in order of time.
  void explain(ThreadId thread, std::vector<IdlePart>& parts) const;
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  struct Stretch {
    std::int64_t begin_ns = 0, end_ns = 0;
  };

  std::map<std::pair<std::uint32_t, IdleCause>, std::vector<Stretch>> stretches_;  // of a thread
  Status status_;
};

}  // namespace prof
