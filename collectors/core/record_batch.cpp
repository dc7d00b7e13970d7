// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/record_batch.hpp"

namespace prof::collectors {

template <typename Self, typename Action>
void RecordBatch::for_each_kind(Self& self, Action action) {
  action(self.strings_, true);
  action(self.metas_, true);
  action(self.devices_, true);
  action(self.threads_, true);
  action(self.domains_, true);
  action(self.names_, true);
  action(self.schemas_, true);
  action(self.clock_syncs_, true);
  action(self.losses_, true);
  action(self.ranges_, false);
  action(self.marks_, false);
  action(self.blobs_, false);
  action(self.apis_, false);
  action(self.graph_nodes_, false);
  action(self.kernels_, false);
  action(self.memcpys_, false);
  action(self.memsets_, false);
  action(self.syncs_, false);
  action(self.overheads_, false);
}

RecordBatch::Slice RecordBatch::keep(std::string_view text) {
  const Slice slice{text_.size(), text.size()};
  text_.append(text);
  return slice;
}

void RecordBatch::on(const StringRecord& record) {
  strings_.push_back({record.id, keep(record.text)});
}

void RecordBatch::on(const MetaRecord& record) {
  metas_.push_back({keep(record.key), keep(record.value)});
}

void RecordBatch::on(const DeviceRecord& record) {
  devices_.push_back({record, keep(record.name), keep(record.uuid)});
}

void RecordBatch::on(const RangeRecord& record) {
  ranges_.push_back({record, keep(record.numbers)});
}

void RecordBatch::on(const MarkRecord& record) { marks_.push_back({record, keep(record.numbers)}); }

void RecordBatch::on(const PayloadSchemaRecord& record) {
  schemas_.push_back({record, keep(record.fields_json)});
}

void RecordBatch::on(const PayloadBlobRecord& record) {
  blobs_.push_back({record, keep(record.bytes)});
}

void RecordBatch::on(const LossRecord& record) {
  losses_.push_back({record, keep(record.what), keep(record.detail)});
}

void RecordBatch::add_loss(Loss loss, std::uint64_t count, std::int64_t first_ns,
                           std::int64_t last_ns, std::string_view detail) {
  on(LossRecord{info(loss).word, count, first_ns, last_ns, detail});
}

std::size_t RecordBatch::bytes() const {
  std::size_t bytes = text_.size();
  for_each_kind(*this, [&](const auto& kind, bool) { bytes += kind.size() * sizeof(kind[0]); });
  return bytes;
}

std::size_t RecordBatch::records() const {
  std::size_t records = 0;
  for_each_kind(*this, [&](const auto& kind, bool) { records += kind.size(); });
  return records;
}

std::uint64_t RecordBatch::drop_records() {
  std::uint64_t dropped = 0;
  for_each_kind(*this, [&](auto& kind, bool is_definition) {
    if (is_definition) return;
    dropped += kind.size();
    kind.clear();
  });
  return dropped;
}

void RecordBatch::feed(RecordSink& sink) const {
  for (const Text& text : strings_) sink.on(StringRecord{text.id, view(text.text)});
  for (const Meta& meta : metas_) sink.on(MetaRecord{view(meta.key), view(meta.value)});
  for (const Device& device : devices_) {
    DeviceRecord record = device.record;
    record.name = view(device.name);
    record.uuid = view(device.uuid);
    sink.on(record);
  }
  for (const ThreadRecord& record : threads_) sink.on(record);
  for (const DomainRecord& record : domains_) sink.on(record);
  for (const NameRecord& record : names_) sink.on(record);
  for (const Schema& schema : schemas_) {
    PayloadSchemaRecord record = schema.record;
    record.fields_json = view(schema.fields);
    sink.on(record);
  }
  for (const ClockSyncRecord& record : clock_syncs_) sink.on(record);
  for (const LossEntry& loss : losses_) {
    LossRecord record = loss.record;
    record.what = view(loss.what);
    record.detail = view(loss.detail);
    sink.on(record);
  }
  for (const Range& range : ranges_) {
    RangeRecord record = range.record;
    record.numbers = view(range.numbers);
    sink.on(record);
  }
  for (const Mark& mark : marks_) {
    MarkRecord record = mark.record;
    record.numbers = view(mark.numbers);
    sink.on(record);
  }
  for (const Blob& blob : blobs_) {
    PayloadBlobRecord record = blob.record;
    record.bytes = view(blob.bytes);
    sink.on(record);
  }
  for (const ApiRecord& record : apis_) sink.on(record);
  for (const GraphNodeRecord& record : graph_nodes_) sink.on(record);
  for (const KernelRecord& record : kernels_) sink.on(record);
  for (const MemcpyRecord& record : memcpys_) sink.on(record);
  for (const MemsetRecord& record : memsets_) sink.on(record);
  for (const SyncRecord& record : syncs_) sink.on(record);
  for (const OverheadRecord& record : overheads_) sink.on(record);
}

void RecordBatch::clear() {
  text_.clear();
  for_each_kind(*this, [](auto& kind, bool) { kind.clear(); });
}

}  // namespace prof::collectors
