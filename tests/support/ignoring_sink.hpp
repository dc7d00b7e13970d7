// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A sink that ignores every record: a base for tests that handle a few kinds (with `using
// IgnoringSink::on;`), or for tests that keep nothing.
#pragma once

#include "libprof/source/record_sink.hpp"

namespace prof::test {

class IgnoringSink : public RecordSink {
 public:
  void on(const StringRecord& /*record*/) override {}
  void on(const MetaRecord& /*record*/) override {}
  void on(const ThreadRecord& /*record*/) override {}
  void on(const DeviceRecord& /*record*/) override {}
  void on(const DomainRecord& /*record*/) override {}
  void on(const NameRecord& /*record*/) override {}
  void on(const RangeRecord& /*record*/) override {}
  void on(const MarkRecord& /*record*/) override {}
  void on(const PayloadSchemaRecord& /*record*/) override {}
  void on(const PayloadBlobRecord& /*record*/) override {}
  void on(const ApiRecord& /*record*/) override {}
  void on(const KernelRecord& /*record*/) override {}
  void on(const MemcpyRecord& /*record*/) override {}
  void on(const MemsetRecord& /*record*/) override {}
  void on(const SyncRecord& /*record*/) override {}
  void on(const OverheadRecord& /*record*/) override {}
  void on(const GraphNodeRecord& /*record*/) override {}
  void on(const ClockSyncRecord& /*record*/) override {}
  void on(const LossRecord& /*record*/) override {}
  void commit() override {}
  [[nodiscard]] Status status() const override { return {}; }
};

}  // namespace prof::test
