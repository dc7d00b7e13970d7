// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch of records on its way from the worker to the writer thread: a sink that stores records,
// with copies of texts and bytes, and later feeds them to another sink. Definitions (strings,
// threads, domains, ...) come out before what uses them; records of one kind keep their order.
// Threads: one at a time; a batch is moved, never shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/model/losses.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof::collectors {

class RecordBatch final : public RecordSink {
 public:
  void on(const StringRecord& record) override;
  void on(const MetaRecord& record) override;
  void on(const ThreadRecord& record) override { threads_.push_back(record); }
  void on(const DeviceRecord& record) override;
  void on(const DomainRecord& record) override { domains_.push_back(record); }
  void on(const NameRecord& record) override { names_.push_back(record); }
  void on(const RangeRecord& record) override;
  void on(const MarkRecord& record) override;
  void on(const PayloadSchemaRecord& record) override;
  void on(const PayloadBlobRecord& record) override;
  void on(const ApiRecord& record) override { apis_.push_back(record); }
  void on(const KernelRecord& record) override { kernels_.push_back(record); }
  void on(const MemcpyRecord& record) override { memcpys_.push_back(record); }
  void on(const MemsetRecord& record) override { memsets_.push_back(record); }
  void on(const SyncRecord& record) override { syncs_.push_back(record); }
  void on(const OverheadRecord& record) override { overheads_.push_back(record); }
  void on(const GraphNodeRecord& record) override { graph_nodes_.push_back(record); }
  void on(const ClockSyncRecord& record) override { clock_syncs_.push_back(record); }
  void on(const LossRecord& record) override;
  void commit() override {}
  [[nodiscard]] Status status() const override { return {}; }

  void add_loss(Loss loss, std::uint64_t count, std::int64_t first_ns, std::int64_t last_ns,
                std::string_view detail = {});

  /// Approximate memory of the records.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t records() const;
  [[nodiscard]] bool empty() const { return records() == 0; }

  /// Drops all records except definitions and losses; returns how many.
  std::uint64_t drop_records();

  /// Passes every record to `sink`, definitions first.
  void feed(RecordSink& sink) const;
  /// Empties it, keeping its memory for reuse.
  void clear();

 private:
  struct Slice {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  struct Text {
    StringId id;
    Slice text;
  };
  struct Meta {
    Slice key, value;
  };
  struct Device {
    DeviceRecord record;
    Slice name, uuid;
  };
  struct Schema {
    PayloadSchemaRecord record;
    Slice fields;
  };
  struct Blob {
    PayloadBlobRecord record;
    Slice bytes;
  };
  struct Range {
    RangeRecord record;
    Slice numbers;
  };
  struct Mark {
    MarkRecord record;
    Slice numbers;
  };
  struct LossEntry {
    LossRecord record;
    Slice what, detail;
  };

  Slice keep(std::string_view text);
  [[nodiscard]] std::string_view view(Slice slice) const {
    return {text_.data() + slice.offset, slice.bytes};
  }
  /// Calls action(vector, is_definition) for each kind of record, in the order they are fed in.
  template <typename Self, typename Action>
  static void for_each_kind(Self& self, Action action);

  std::string text_;
  std::vector<Text> strings_;
  std::vector<ThreadRecord> threads_;
  std::vector<DomainRecord> domains_;
  std::vector<NameRecord> names_;
  std::vector<Meta> metas_;
  std::vector<Device> devices_;
  std::vector<Schema> schemas_;
  std::vector<LossEntry> losses_;
  std::vector<ClockSyncRecord> clock_syncs_;
  std::vector<Range> ranges_;
  std::vector<Mark> marks_;
  std::vector<Blob> blobs_;
  std::vector<ApiRecord> apis_;
  std::vector<GraphNodeRecord> graph_nodes_;
  std::vector<KernelRecord> kernels_;
  std::vector<MemcpyRecord> memcpys_;
  std::vector<MemsetRecord> memsets_;
  std::vector<SyncRecord> syncs_;
  std::vector<OverheadRecord> overheads_;
};

}  // namespace prof::collectors
