// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecordSink: the one door by which records enter, whoever produces them (a live capture, a
// recorded stream, an importer) and whoever keeps them (the store, the text form, both). All calls
// of one sink come from one thread at a time. A sink never throws; what it cannot keep it counts
// and reports by status().
#pragma once

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"

namespace prof {

class RecordSink {
 public:
  virtual ~RecordSink() = default;

  virtual void on(const StringRecord& record) = 0;
  virtual void on(const MetaRecord& record) = 0;
  virtual void on(const ThreadRecord& record) = 0;
  virtual void on(const DeviceRecord& record) = 0;
  virtual void on(const DomainRecord& record) = 0;
  virtual void on(const NameRecord& record) = 0;
  virtual void on(const RangeRecord& record) = 0;
  virtual void on(const MarkRecord& record) = 0;
  virtual void on(const PayloadSchemaRecord& record) = 0;
  virtual void on(const PayloadBlobRecord& record) = 0;
  virtual void on(const ApiRecord& record) = 0;
  virtual void on(const KernelRecord& record) = 0;
  virtual void on(const MemcpyRecord& record) = 0;
  virtual void on(const MemsetRecord& record) = 0;
  virtual void on(const SyncRecord& record) = 0;
  virtual void on(const OverheadRecord& record) = 0;
  virtual void on(const GraphNodeRecord& record) = 0;
  virtual void on(const ClockSyncRecord& record) = 0;
  /// Counts add up over all records of the same word.
  virtual void on(const LossRecord& record) = 0;

  /// Makes everything so far durable against a kill of this process. Called about every second.
  virtual void commit() = 0;

  /// No record comes after it: commits, and lets go of files.
  virtual void finish() { commit(); }

  /// The first thing that went wrong, or ok. After an error the sink takes records and drops them.
  [[nodiscard]] virtual Status status() const = 0;

  /// Records that were given to the sink and are not in what it keeps, after an error.
  [[nodiscard]] virtual std::uint64_t lost_records() const { return 0; }
};

}  // namespace prof
