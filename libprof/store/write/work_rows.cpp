// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/work_rows.hpp"

#include <cstdint>

#include "libprof/store/schema/tables.hpp"

namespace prof {

template <const schema::Table& kTable>
void WorkRows::store_form(RowWriter& rows, RowWriter::Repeat& repeat, const GpuWork& work,
                          std::int64_t form) {
  const std::int64_t origin = origin_id(rows, work);
  const RowWriter::Time start = blocks_.since_start(rows, schema::launch_block_id(work.correlation),
                                                    rows.relative(work.start_ns));
  rows.write_keyed<kTable>(repeat, work.correlation, origin, start,
                           duration(work.start_ns, work.end_ns), form);
}

void WorkRows::store(RowWriter& rows, const KernelRecord& record) {
  const std::int64_t config = config_id(rows, record);
  const std::int64_t queue = queue_id(rows, record);
  const auto [form, is_new] =
      kernel_forms_.intern({static_cast<std::uint64_t>(config), static_cast<std::uint64_t>(queue)});
  if (is_new) rows.put<schema::kKernelFormTable>(form, config, queue);
  store_form<schema::kKernelRowTable>(rows, kernel_repeat_, record, form);
}

void WorkRows::store(RowWriter& rows, const MemcpyRecord& record) {
  const std::int64_t origin = origin_id(rows, record);
  const RowWriter::Time start = rows.relative(record.start_ns);
  rows.write_keyed<schema::kMemcpyTable>(
      memcpy_repeat_, record.correlation, origin, start, duration(record.start_ns, record.end_ns),
      queue_id(rows, record), record.bytes, record.copy_kind, record.source, record.destination,
      record.async, record.peer_device, record.count);
}

void WorkRows::store(RowWriter& rows, const MemsetRecord& record) {
  const std::int64_t queue = queue_id(rows, record);
  const auto [form, is_new] =
      memset_forms_.intern({static_cast<std::uint64_t>(queue), record.bytes, record.value,
                            pack(static_cast<std::uint32_t>(record.memory), record.async ? 1 : 0)});
  if (is_new) {
    rows.put<schema::kMemsetFormTable>(form, queue, record.bytes, record.value, record.memory,
                                       record.async);
  }
  store_form<schema::kMemsetRowTable>(rows, memset_repeat_, record, form);
}

void WorkRows::on_commit() {
  each_interner([](auto& interner) { interner.on_commit(); });
}

void WorkRows::on_rollback() {
  each_interner([](auto& interner) { interner.on_rollback(); });
  blocks_.on_rollback();
  kernel_repeat_ = memcpy_repeat_ = memset_repeat_ = {};
}

std::int64_t WorkRows::origin_id(RowWriter& rows, const GpuWork& work) {
  if (work.origin == Origin::kApi && work.graph == 0 && work.graph_node == 0) return 0;
  const auto [id, is_new] =
      origins_.intern({static_cast<std::uint64_t>(work.origin), work.graph, work.graph_node});
  if (is_new) rows.put<schema::kWorkOriginTable>(id, work.origin, work.graph, work.graph_node);
  return id;
}

std::int64_t WorkRows::queue_id(RowWriter& rows, const GpuWork& work) {
  const auto [id, is_new] = queues_.intern({work.device, work.context, work.stream});
  if (is_new) {
    rows.put<schema::kQueueTable>(id, schema::kProcessId, work.device, work.context, work.stream);
  }
  return id;
}

std::int64_t WorkRows::config_id(RowWriter& rows, const KernelRecord& record) {
  const Dim3& grid = record.grid;
  const Dim3& block = record.block;
  const Dim3& cluster = record.cluster;
  const auto [id, is_new] =
      configs_.intern({pack(record.name.value, record.cooperative ? 1 : 0), pack(grid.x, grid.y),
                       pack(grid.z, block.x), pack(block.y, block.z), pack(cluster.x, cluster.y),
                       pack(cluster.z, record.registers_per_thread), record.static_shared_bytes,
                       record.dynamic_shared_bytes, record.local_bytes_per_thread});
  if (is_new) {
    rows.put<schema::kLaunchConfigTable>(
        id, record.name, grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y,
        cluster.z, record.registers_per_thread, record.static_shared_bytes,
        record.dynamic_shared_bytes, record.local_bytes_per_thread, record.cooperative);
  }
  return id;
}

}  // namespace prof
