// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch of records on its way from the worker to the writer thread: vectors of plain records and
// the bytes they refer to. Definitions (strings, threads, domains, ...) come out before what uses
// them. Threads: one at a time; a batch is moved, never shared.
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

class RecordBatch {
 public:
  // Records without text of their own: kept as they are.
  void add(const ThreadRecord& record) { threads_.push_back(record); }
  void add(const DomainRecord& record) { domains_.push_back(record); }
  void add(const NameRecord& record) { names_.push_back(record); }
  void add(const RangeRecord& record) { ranges_.push_back(record); }
  void add(const MarkRecord& record) { marks_.push_back(record); }
  void add(const ApiRecord& record) { apis_.push_back(record); }
  void add(const KernelRecord& record) { kernels_.push_back(record); }
  void add(const MemcpyRecord& record) { memcpys_.push_back(record); }
  void add(const MemsetRecord& record) { memsets_.push_back(record); }
  void add(const SyncRecord& record) { syncs_.push_back(record); }
  void add(const OverheadRecord& record) { overheads_.push_back(record); }
  void add(const GraphNodeRecord& record) { graph_nodes_.push_back(record); }
  void add(const ClockSyncRecord& record) { clock_syncs_.push_back(record); }
  // Records with texts: these are copied.
  void add(const StringRecord& record);
  void add(const MetaRecord& record);
  void add(const DeviceRecord& record);
  void add(const PayloadSchemaRecord& record);
  void add(const PayloadBlobRecord& record);
  void add(const LossRecord& record);
  void add_loss(Loss loss, std::uint64_t count, std::int64_t first_ns, std::int64_t last_ns,
                std::string_view detail = {});

  /// Appends all of `other`.
  void append(RecordBatch&& other);

  /// Memory that the records take, about.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t records() const;
  [[nodiscard]] bool empty() const { return records() == 0; }

  /// Throws away all records but definitions and losses; returns how many.
  std::uint64_t drop_records();

  /// Hands every record to `sink`, definitions first.
  void feed(RecordSink& sink) const;
  /// Empties it and keeps its memory for the next use.
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
  struct LossEntry {
    LossRecord record;
    Slice what, detail;
  };

  Slice keep(std::string_view text);
  [[nodiscard]] std::string_view view(Slice slice) const { return {text_.data() + slice.offset, slice.bytes}; }
  template <typename Action>
  void for_each_kind(Action action) const;

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
  std::vector<RangeRecord> ranges_;
  std::vector<MarkRecord> marks_;
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
