// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CallLookup: finds the call of a correlation, for rows that are not in the order of their calls.
// One seek for each. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/read/trace_tables.hpp"

namespace prof {

/// The outermost recorded call of a correlation.
struct FoundCall {
  bool is_known = false;  ///< The call was recorded; otherwise the rest is unknown.
  ThreadId thread;
  StringId function;
  RangeId range = 0;  ///< Innermost open range of the thread.
};

class CallLookup {
 public:
  /// Without tables no call is found.
  explicit CallLookup(std::shared_ptr<TraceTables> tables);

  FoundCall find(Correlation correlation);
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  std::shared_ptr<TraceTables> tables_;
  Statement call_;
  Status status_;
};

}  // namespace prof
