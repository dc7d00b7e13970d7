// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/tables/activity_columns.hpp"

namespace prof::importers {

std::uint32_t id_or_none(TableRows& row, std::size_t column, ReadNumber number) {
  const std::uint32_t id = number(row, column).value_or(0);
  return id == UINT32_MAX ? 0 : id;
}

void fill_place(TableRows& row, ReadNumber number, GpuWork& work) {
  work.device = number(row, kDevice).value_or(0);
  work.context = number(row, kContext).value_or(0);
  work.stream = number(row, kStream).value_or(0);
  work.graph_node = static_cast<std::uint64_t>(row.integer(kGraphNode).value_or(0));
  work.graph = number(row, kGraph).value_or(static_cast<std::uint32_t>(work.graph_node >> 32));
}

void fill_launch(TableRows& row, std::size_t launch, ReadNumber number, KernelRecord& record) {
  const auto next = [&] { return number(row, launch++).value_or(0); };
  for (Dim3* const size : {&record.grid, &record.block, &record.cluster}) {
    size->x = next();
    size->y = next();
    size->z = next();
  }
  record.registers_per_thread = next();
  record.static_shared_bytes = next();
  record.dynamic_shared_bytes = next();
  record.local_bytes_per_thread = next();
}

void fill_sync(TableRows& row, ReadNumber number, SyncRecord& record) {
  record.context = number(row, kSyncContext).value_or(0);
  record.stream = id_or_none(row, kSyncStream, number);
  record.event = id_or_none(row, kSyncEvent, number);
  const std::uint32_t type = number(row, kSyncType).value_or(0);
  if (type < EnumWords<SyncRecord::Type>::kWords.size()) {
    record.type = static_cast<SyncRecord::Type>(type);
  }
}

}  // namespace prof::importers
