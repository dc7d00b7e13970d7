// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecordSink: the interface through which all records pass, from every producer (a live capture, a
// recorded stream, an importer) to every consumer (the store, the text form, both). Calls to a sink
// come from one thread at a time. A sink never throws; it counts the records that it cannot keep
// and reports that by status(). Counts of losses add up over all records of the same word.
#pragma once

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"

namespace prof {

class RecordSink {
 public:
  virtual ~RecordSink() = default;

#define PROF_TAKE(Record) virtual void on(const Record& record) = 0;
  PROF_ALL_RECORDS(PROF_TAKE)
#undef PROF_TAKE

  /// Makes all records so far durable against a kill of this process. Called about every second.
  virtual void commit() = 0;

  /// Called after the last record: commits and releases files.
  virtual void finish() { commit(); }

  /// The first error, or ok. After an error the sink accepts records and drops them.
  [[nodiscard]] virtual Status status() const = 0;

  /// Records passed to the sink that it does not hold, after an error.
  [[nodiscard]] virtual std::uint64_t lost_records() const { return 0; }
};

}  // namespace prof
