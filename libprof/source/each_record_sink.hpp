// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// EachRecordSink: a RecordSink for classes that treat every kind of record alike. `Derived` has a
// public template `take(const Record&)`.
#pragma once

#include "libprof/source/record_sink.hpp"

namespace prof {

template <typename Derived>
class EachRecordSink : public RecordSink {
 public:
  void on(const StringRecord& record) final { self().take(record); }
  void on(const MetaRecord& record) final { self().take(record); }
  void on(const ThreadRecord& record) final { self().take(record); }
  void on(const DeviceRecord& record) final { self().take(record); }
  void on(const DomainRecord& record) final { self().take(record); }
  void on(const NameRecord& record) final { self().take(record); }
  void on(const RangeRecord& record) final { self().take(record); }
  void on(const MarkRecord& record) final { self().take(record); }
  void on(const PayloadSchemaRecord& record) final { self().take(record); }
  void on(const PayloadBlobRecord& record) final { self().take(record); }
  void on(const ApiRecord& record) final { self().take(record); }
  void on(const KernelRecord& record) final { self().take(record); }
  void on(const MemcpyRecord& record) final { self().take(record); }
  void on(const MemsetRecord& record) final { self().take(record); }
  void on(const SyncRecord& record) final { self().take(record); }
  void on(const OverheadRecord& record) final { self().take(record); }
  void on(const GraphNodeRecord& record) final { self().take(record); }
  void on(const ClockSyncRecord& record) final { self().take(record); }
  void on(const LossRecord& record) final { self().take(record); }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace prof
