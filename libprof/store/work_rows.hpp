// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work, whose origins, queues and launch parameters are interned: tables, and rows from
// records.
#pragma once

#include <array>
#include <cstdint>

#include "libprof/model/records.hpp"
#include "libprof/store/bounded_interner.hpp"
#include "libprof/store/row_writer.hpp"
#include "libprof/store/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kWorkOriginColumns = {
    Column{"id", kSqlKey, "0: launched by an API call, not in a graph"},
    Column{"origin", kSqlNumber, "0 API call, 1 graph, 2 launched by the device, 3 unknown"},
    Column{"graph", kSqlNumber, "CUPTI's graph id, 0: none"},
    Column{"graph_node", kSqlNumber, "CUPTI's graph node id, see graph_node; 0: none"},
};
inline constexpr Table kWorkOriginTable = {"work_origin", "How GPU work was launched, where a correlation alone does not identify it.", kWorkOriginColumns};

inline constexpr std::array kQueueColumns = {
    Column{"id", kSqlKey, ""},
    Column{"process_id", kSqlNumber, "process.id"},
    Column{"device", kSqlNumber, "device.device"},
    Column{"context", kSqlNumber, "CUPTI's context id"},
    Column{"stream", kSqlNumber, "CUPTI's stream id"},
};
inline constexpr Table kQueueTable = {"queue", "Where GPU work ran.", kQueueColumns};

inline constexpr std::array kLaunchConfigColumns = {
    Column{"id", kSqlKey, ""},
    Column{"name_id", kSqlNumber, "string.id of the kernel's name, mangled"},
    Column{"grid_x", kSqlNumber, "blocks"},
    Column{"grid_y", kSqlNumber, "blocks"},
    Column{"grid_z", kSqlNumber, "blocks"},
    Column{"block_x", kSqlNumber, "threads"},
    Column{"block_y", kSqlNumber, "threads"},
    Column{"block_z", kSqlNumber, "threads"},
    Column{"cluster_x", kSqlNumber, "blocks, 0: launched without clusters"},
    Column{"cluster_y", kSqlNumber, "blocks"},
    Column{"cluster_z", kSqlNumber, "blocks"},
    Column{"registers_per_thread", kSqlNumber, ""},
    Column{"static_shared_bytes", kSqlNumber, "bytes per block"},
    Column{"dynamic_shared_bytes", kSqlNumber, "bytes per block"},
    Column{"local_bytes_per_thread", kSqlNumber, "bytes"},
    Column{"cooperative", kSqlNumber, "1: launched cooperatively"},
};
inline constexpr Table kLaunchConfigTable = {"launch_config", "Launch parameters, shared by launches. Duplicate rows may occur.", kLaunchConfigColumns};

inline constexpr std::array kKernelColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id; 0: an ordinary launch"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"config_id", kSqlNumber, "launch_config.id"},
    Column{"queue_id", kSqlNumber, "queue.id"},
};
inline constexpr Table kKernelTable = {"kernel", "One row per kernel that ran. Clustered by correlation, so in launch order.", kKernelColumns, "correlation, origin_id, repeat"};

inline constexpr std::array kMemcpyColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"queue_id", kSqlNumber, "queue.id"},
    Column{"bytes", kSqlNumber, "bytes"},
    Column{"copy_kind", kSqlNumber, "CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ..."},
    Column{"source", kSqlNumber, "CUpti_ActivityMemoryKind: 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, ..."},
    Column{"destination", kSqlNumber, "CUpti_ActivityMemoryKind"},
    Column{"async", kSqlNumber, "1: asynchronous"},
    Column{"peer_device", kSqlNumber, "destination device of a peer copy; otherwise the queue's device"},
    Column{"count", kSqlNumber, "copies in a batch that CUPTI reports as one record"},
};
inline constexpr Table kMemcpyTable = {"memcpy", "Memory copies that ran on a GPU.", kMemcpyColumns, "correlation, origin_id, repeat"};

inline constexpr std::array kMemsetColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"queue_id", kSqlNumber, "queue.id"},
    Column{"bytes", kSqlNumber, "bytes"},
    Column{"value", kSqlNumber, "the value that was set"},
    Column{"memory", kSqlNumber, "CUpti_ActivityMemoryKind"},
    Column{"async", kSqlNumber, "1: asynchronous"},
};
inline constexpr Table kMemsetTable = {"memset", "Memory sets that ran on a GPU.", kMemsetColumns, "correlation, origin_id, repeat"};
// clang-format on

template <>
struct TablesOf<KernelRecord> {
  static constexpr std::array kTables = {kWorkOriginTable, kQueueTable, kLaunchConfigTable,
                                         kKernelTable};
};

template <>
struct TablesOf<MemcpyRecord> {
  static constexpr std::array kTables = {kMemcpyTable};
};

template <>
struct TablesOf<MemsetRecord> {
  static constexpr std::array kTables = {kMemsetTable};
};

}  // namespace prof::schema

namespace prof {

class WorkRows {
 public:
  void store(RowWriter& rows, const KernelRecord& record);
  void store(RowWriter& rows, const MemcpyRecord& record);
  void store(RowWriter& rows, const MemsetRecord& record);

 private:
  template <const schema::Table& kTable, typename... Values>
  void store(RowWriter& rows, RowWriter::Repeat& repeat, const GpuWork& work,
             const Values&... values);
  std::int64_t origin_id(RowWriter& rows, const GpuWork& work);
  std::int64_t queue_id(RowWriter& rows, const GpuWork& work);
  std::int64_t config_id(RowWriter& rows, const KernelRecord& record);

  BoundedInterner<3> origins_{1 << 18};
  BoundedInterner<3> queues_{1 << 14};
  BoundedInterner<9> configs_{1 << 16};
  RowWriter::Repeat kernel_repeat_, memcpy_repeat_, memset_repeat_;
};

}  // namespace prof
