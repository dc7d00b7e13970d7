// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TeeSink: passes every record on to two sinks, the first one first. Does not own them. When one
// fails the other goes on; status() is the first sink's error, then the second's.
#pragma once

#include "libprof/source/record_sink.hpp"

namespace prof {

class TeeSink final : public RecordSink {
 public:
  TeeSink(RecordSink& first, RecordSink& second) : first_(first), second_(second) {}

  void on(const StringRecord& record) override { pass(record); }
  void on(const MetaRecord& record) override { pass(record); }
  void on(const ThreadRecord& record) override { pass(record); }
  void on(const DeviceRecord& record) override { pass(record); }
  void on(const DomainRecord& record) override { pass(record); }
  void on(const NameRecord& record) override { pass(record); }
  void on(const RangeRecord& record) override { pass(record); }
  void on(const MarkRecord& record) override { pass(record); }
  void on(const PayloadSchemaRecord& record) override { pass(record); }
  void on(const PayloadBlobRecord& record) override { pass(record); }
  void on(const ApiRecord& record) override { pass(record); }
  void on(const KernelRecord& record) override { pass(record); }
  void on(const MemcpyRecord& record) override { pass(record); }
  void on(const MemsetRecord& record) override { pass(record); }
  void on(const SyncRecord& record) override { pass(record); }
  void on(const OverheadRecord& record) override { pass(record); }
  void on(const GraphNodeRecord& record) override { pass(record); }
  void on(const ClockSyncRecord& record) override { pass(record); }
  void on(const LossRecord& record) override { pass(record); }

  void commit() override {
    first_.commit();
    second_.commit();
  }

  [[nodiscard]] Status status() const override {
    Status status = first_.status();
    return status ? second_.status() : status;
  }

 private:
  template <typename Record>
  void pass(const Record& record) {
    first_.on(record);
    second_.on(record);
  }

  RecordSink& first_;
  RecordSink& second_;
};

}  // namespace prof
