// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecordSink: the interface through which all records pass, whoever produces them (a live capture,
// a recorded stream, an importer) and whoever keeps them (the store, the text form, both). Calls to
// a sink come from one thread at a time. A sink never throws; it counts what it cannot keep and
// reports that by status().
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

  /// Called after the last record: commits and releases files.
  virtual void finish() { commit(); }

  /// The first error, or ok. After an error the sink accepts records and drops them.
  [[nodiscard]] virtual Status status() const = 0;

  /// Records passed to the sink that it does not hold, after an error.
  [[nodiscard]] virtual std::uint64_t lost_records() const { return 0; }
};

}  // namespace prof
