// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words for the numbers in the views with Nsight Systems' names, as views with the names of its
// ENUM_ tables. Long lists contain only the numbers that the views use.
#pragma once

#include <string_view>

namespace prof::schema {

inline constexpr std::string_view kCopyWords = R"sql(
  SELECT column1 AS id, 'CUDA_MEMCPY_KIND_' || column2 AS name, column3 AS label
  FROM (VALUES (0, 'UNKNOWN', 'Unknown'), (1, 'HTOD', 'Host-to-Device'),
               (2, 'DTOH', 'Device-to-Host'), (3, 'HTOA', 'Host-to-Array'),
               (4, 'ATOH', 'Array-to-Host'), (5, 'ATOA', 'Array-to-Array'),
               (6, 'ATOD', 'Array-to-Device'), (7, 'DTOA', 'Device-to-Array'),
               (8, 'DTOD', 'Device-to-Device'), (9, 'HTOH', 'Host-to-Host'),
               (10, 'PTOP', 'Peer-to-Peer'), (11, 'UVM_HTOD', 'Unified Host-to-Device'),
               (12, 'UVM_DTOH', 'Unified Device-to-Host'),
               (13, 'UVM_DTOD', 'Unified Device-to-Device')))sql";

inline constexpr std::string_view kMemoryWords = R"sql(
  SELECT column1 AS id, 'CUDA_MEMOPR_MEMORY_KIND_' || column2 AS name, column3 AS label
  FROM (VALUES (0, 'PAGEABLE', 'Pageable'), (1, 'PINNED', 'Pinned'), (2, 'DEVICE', 'Device'),
               (3, 'ARRAY', 'Array'), (4, 'MANAGED', 'Managed'),
               (5, 'DEVICE_STATIC', 'Device Static'), (6, 'MANAGED_STATIC', 'Managed Static'),
               (7, 'UNKNOWN', 'Unknown')))sql";

inline constexpr std::string_view kWaitWords = R"sql(
  SELECT column1 AS id, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_' || column2 AS name,
         column3 AS label
  FROM (VALUES (0, 'UNKNOWN', 'Unknown'), (1, 'EVENT_SYNCHRONIZE', 'Event sync'),
               (2, 'STREAM_WAIT_EVENT', 'Stream wait sync'),
               (3, 'STREAM_SYNCHRONIZE', 'Stream sync'),
               (4, 'CONTEXT_SYNCHRONIZE', 'Context sync')))sql";

inline constexpr std::string_view kOverheadWords = R"sql(
  SELECT column1 AS id, 'OVERHEAD_' || column2 AS name, column3 AS label
  FROM (VALUES (0, 'UNDEFINED', 'Undefined'), (1, 'UNKNOWN', 'Unknown'),
               (2, 'DRIVER_COMPILER', 'Driver JIT compiler (CUDA)'),
               (3, 'CUPTI_BUFFER_FLUSH', 'Buffer flush (Profiler)'),
               (4, 'CUPTI_INSTRUMENTATION', 'Instrumentation (Profiler)'),
               (5, 'CUPTI_RESOURCE', 'Resource creation/destruction (Profiler)'),
               (6, 'RUNTIME_TRIGGERED_MODULE_LOADING', 'Runtime module loading (CUDA)'),
               (7, 'LAZY_FUNCTION_LOADING', 'Lazy function loading (CUDA)'),
               (8, 'COMMAND_BUFFER_FULL', 'Command buffer full (CUDA)')))sql";

inline constexpr std::string_view kEventTypeWords = R"sql(
  SELECT column1 AS id, column2 AS name, column2 AS label
  FROM (VALUES (33, 'NvtxCategory'), (34, 'NvtxMark'), (59, 'NvtxPushPopRange'),
               (60, 'NvtxStartEndRange'), (75, 'NvtxDomainCreate')))sql";

inline constexpr std::string_view kEventClassWords = R"sql(
  SELECT column1 AS id, 'TRACE_PROCESS_EVENT_' || column2 AS name, column3 AS label
  FROM (VALUES (0, 'CUDA_RUNTIME', 'CUDA runtime'), (1, 'CUDA_DRIVER', 'CUDA driver'),
               (27, 'OS_RUNTIME', 'OSRT runtime'),
               (77, 'CUDA_GRAPH_NODE_CREATION', 'CUDA graph node creation'),
               (103, 'CUDA_OVERHEAD', 'CUDA overhead')))sql";

}  // namespace prof::schema
