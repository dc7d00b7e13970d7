// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work, whose origins, queues and launch parameters are interned: tables. A row of kernels and
// sets has the values of one piece of work; repeated values are in a form. Views kernel and memset
// combine them.
#pragma once

#include <array>
#include <string_view>

#include "libprof/model/records.hpp"
#include "libprof/store/schema/schema.hpp"

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

inline constexpr std::array kKernelFormColumns = {
    Column{"id", kSqlKey, ""},
    Column{"config_id", kSqlNumber, "launch_config.id"},
    Column{"queue_id", kSqlNumber, "queue.id"},
};
inline constexpr Table kKernelFormTable = {.name = "kernel_form", .doc = "What kernels have in common. Duplicate rows may occur.", .columns = kKernelFormColumns};

inline constexpr std::array kKernelRowColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id; 0: an ordinary launch"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, "ns since the start_ns of the correlation's launch_block; NULL: unknown"},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"form_id", kSqlNumber, "kernel_form.id"},
};
inline constexpr Table kKernelRowTable = {.name = "kernel_row", .doc = "Kernels: what is a kernel's own. Read view kernel.", .columns = kKernelRowColumns, .primary_key = "correlation, origin_id, repeat"};

inline constexpr std::array kKernelColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id; 0: an ordinary launch"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"config_id", kSqlNumber, "launch_config.id"},
    Column{"queue_id", kSqlNumber, "queue.id"},
};
inline constexpr std::string_view kKernelSelect = R"sql(
  SELECT r.correlation, r.origin_id, r.repeat,
         (SELECT b.start_ns FROM launch_block b WHERE b.id = r.correlation >> 8) + r.start_ns AS start_ns,
         r.duration_ns,
         (SELECT f.config_id FROM kernel_form f WHERE f.id = r.form_id) AS config_id,
         (SELECT f.queue_id FROM kernel_form f WHERE f.id = r.form_id) AS queue_id
  FROM kernel_row r)sql";
inline constexpr Table kKernelTable = {.name = "kernel", .doc = "One row per kernel that ran, as a view. Clustered by correlation, so in launch order.", .columns = kKernelColumns, .primary_key = "correlation, origin_id, repeat", .select = kKernelSelect, .rows = kKernelRowTable.name};

inline constexpr std::array kMemcpyColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"queue_id", kSqlNumber, "queue.id"},
    Column{"bytes", kSqlNumber, "bytes"},
    Column{"copy_kind", kSqlNumber, "CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ...; migrations of unified memory: 11 HtoD, 12 DtoH, 13 DtoD"},
    Column{"source", kSqlNumber, "CUpti_ActivityMemoryKind: 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, ..."},
    Column{"destination", kSqlNumber, "CUpti_ActivityMemoryKind"},
    Column{"async", kSqlNumber, "1: asynchronous"},
    Column{"peer_device", kSqlNumber, "destination device of a peer copy; otherwise the queue's device"},
    Column{"count", kSqlNumber, "copies in a batch that CUPTI reports as one record"},
};
inline constexpr Table kMemcpyTable = {"memcpy", "Memory copies that ran on a GPU.", kMemcpyColumns, "correlation, origin_id, repeat"};

inline constexpr std::array kMemsetFormColumns = {
    Column{"id", kSqlKey, ""},
    Column{"queue_id", kSqlNumber, "queue.id"},
    Column{"bytes", kSqlNumber, "bytes"},
    Column{"value", kSqlNumber, "as memset.value"},
    Column{"memory", kSqlNumber, "as memset.memory"},
    Column{"async", kSqlNumber, "as memset.async"},
};
inline constexpr Table kMemsetFormTable = {.name = "memset_form", .doc = "What memory sets have in common. Duplicate rows may occur.", .columns = kMemsetFormColumns};

inline constexpr std::array kMemsetRowColumns = {
    Column{"correlation", kSqlNumber, kCorrelationDoc},
    Column{"origin_id", kSqlNumber, "work_origin.id; 0: an ordinary launch"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"start_ns", kSqlNumberOrNull, "ns since the start_ns of the correlation's launch_block; NULL: unknown"},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"form_id", kSqlNumber, "memset_form.id"},
};
inline constexpr Table kMemsetRowTable = {.name = "memset_row", .doc = "Memory sets: what is a set's own. Read view memset.", .columns = kMemsetRowColumns, .primary_key = "correlation, origin_id, repeat"};

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
inline constexpr std::string_view kMemsetSelect = R"sql(
  SELECT r.correlation, r.origin_id, r.repeat,
         (SELECT b.start_ns FROM launch_block b WHERE b.id = r.correlation >> 8) + r.start_ns AS start_ns,
         r.duration_ns,
         (SELECT f.queue_id FROM memset_form f WHERE f.id = r.form_id) AS queue_id,
         (SELECT f.bytes FROM memset_form f WHERE f.id = r.form_id) AS bytes,
         (SELECT f.value FROM memset_form f WHERE f.id = r.form_id) AS value,
         (SELECT f.memory FROM memset_form f WHERE f.id = r.form_id) AS memory,
         (SELECT f.async FROM memset_form f WHERE f.id = r.form_id) AS async
  FROM memset_row r)sql";
inline constexpr Table kMemsetTable = {.name = "memset", .doc = "Memory sets that ran on a GPU, as a view.", .columns = kMemsetColumns, .primary_key = "correlation, origin_id, repeat", .select = kMemsetSelect, .rows = kMemsetRowTable.name};
// clang-format on

template <>
struct TablesOf<KernelRecord> {
  static constexpr std::array kTables = {kWorkOriginTable, kQueueTable,     kLaunchConfigTable,
                                         kKernelTable,     kKernelRowTable, kKernelFormTable};
};

template <>
struct TablesOf<MemcpyRecord> {
  static constexpr std::array kTables = {kMemcpyTable};
};

template <>
struct TablesOf<MemsetRecord> {
  static constexpr std::array kTables = {kMemsetTable, kMemsetRowTable, kMemsetFormTable};
};

}  // namespace prof::schema
