// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Views with the names and columns of Nsight Systems' SQLite export, so that queries written for it
// run on a trace. Values that a trace does not have are NULL.
#include <array>

#include "libprof/store/schema/nsys_words.hpp"
#include "libprof/store/schema/schema.hpp"

namespace prof::schema {
namespace {

constexpr std::string_view kStringIds = "\n  SELECT id, text AS value FROM string";

constexpr std::string_view kNsysKernels = R"sql(
  SELECT k.start_ns AS start, k.start_ns + k.duration_ns AS "end", q.device AS deviceId,
         q.context AS contextId, NULL AS greenContextId, q.stream AS streamId,
         k.correlation AS correlationId, ifnull(p.pid, 0) << 24 AS globalPid,
         c.name_id AS demangledName, c.name_id AS shortName, c.name_id AS mangledName,
         NULL AS launchType, NULL AS cacheConfig,
         c.registers_per_thread AS registersPerThread, c.grid_x AS gridX, c.grid_y AS gridY,
         c.grid_z AS gridZ, c.block_x AS blockX, c.block_y AS blockY, c.block_z AS blockZ,
         c.static_shared_bytes AS staticSharedMemory, c.dynamic_shared_bytes AS dynamicSharedMemory,
         c.local_bytes_per_thread AS localMemoryPerThread, NULL AS localMemoryTotal, NULL AS gridId,
         NULL AS sharedMemoryExecuted, nullif(o.graph_node, 0) AS graphNodeId,
         NULL AS sharedMemoryLimitConfig, nullif(o.graph, 0) AS graphId
  FROM kernel k
  LEFT JOIN launch_config c ON c.id = k.config_id
  LEFT JOIN queue q ON q.id = k.queue_id
  LEFT JOIN process p ON p.id = q.process_id
  LEFT JOIN work_origin o ON o.id = k.origin_id
  WHERE o.graph IS NULL OR o.graph = 0 OR o.graph_node <> 0 OR c.grid_x <> 0)sql";

constexpr std::string_view kWholeGraphs = R"sql(
  SELECT k.start_ns AS start, k.start_ns + k.duration_ns AS "end", q.device AS deviceId,
         q.context AS contextId, NULL AS greenContextId, q.stream AS streamId,
         k.correlation AS correlationId, ifnull(p.pid, 0) << 24 AS globalPid, o.graph AS graphId,
         NULL AS graphExecId
  FROM kernel k
  JOIN work_origin o ON o.id = k.origin_id AND o.graph <> 0 AND o.graph_node = 0
  JOIN launch_config c ON c.id = k.config_id AND c.grid_x = 0
  LEFT JOIN queue q ON q.id = k.queue_id
  LEFT JOIN process p ON p.id = q.process_id)sql";

constexpr std::string_view kNsysCopies = R"sql(
  SELECT m.start_ns AS start, m.start_ns + m.duration_ns AS "end", q.device AS deviceId,
         q.context AS contextId, q.stream AS streamId, m.correlation AS correlationId,
         ifnull(p.pid, 0) << 24 AS globalPid, m.bytes, m.copy_kind AS copyKind,
         (m.source + 7) % 8 AS srcKind, (m.destination + 7) % 8 AS dstKind,
         CASE m.copy_kind WHEN 10 THEN q.device END AS srcDeviceId,
         CASE m.copy_kind WHEN 10 THEN m.peer_device END AS dstDeviceId,
         nullif(o.graph_node, 0) AS graphNodeId
  FROM memcpy m
  LEFT JOIN queue q ON q.id = m.queue_id
  LEFT JOIN process p ON p.id = q.process_id
  LEFT JOIN work_origin o ON o.id = m.origin_id)sql";

constexpr std::string_view kSets = R"sql(
  SELECT m.start_ns AS start, m.start_ns + m.duration_ns AS "end", q.device AS deviceId,
         q.context AS contextId, q.stream AS streamId, m.correlation AS correlationId,
         ifnull(p.pid, 0) << 24 AS globalPid, m.value, m.bytes,
         nullif(o.graph_node, 0) AS graphNodeId, (m.memory + 7) % 8 AS memKind
  FROM memset m
  LEFT JOIN queue q ON q.id = m.queue_id
  LEFT JOIN process p ON p.id = q.process_id
  LEFT JOIN work_origin o ON o.id = m.origin_id)sql";

constexpr std::string_view kCalls = R"sql(
  SELECT a.start_ns AS start, a.start_ns + a.duration_ns AS "end", f.domain AS eventClass,
         ifnull(p.pid, 0) << 24 | (t.os_tid & 0xffffff) AS globalTid,
         a.correlation AS correlationId,
         f.name_id AS nameId, a.status AS returnValue, NULL AS callchainId
  FROM api_call a
  LEFT JOIN api_function f ON f.id = a.function_id
  LEFT JOIN thread t ON t.id = a.thread_id
  LEFT JOIN process p ON p.id = t.process_id
  WHERE a.depth = 0)sql";

constexpr std::string_view kOsCalls = R"sql(
  SELECT c.start_ns AS start, c.start_ns + c.duration_ns AS "end", 27 AS eventClass,
         ifnull(p.pid, 0) << 24 | (t.os_tid & 0xffffff) AS globalTid, NULL AS correlationId,
         c.name_id AS nameId, NULL AS returnValue, NULL AS nestingLevel, NULL AS callchainId
  FROM os_call c
  LEFT JOIN thread t ON t.id = c.thread_id
  LEFT JOIN process p ON p.id = t.process_id)sql";

constexpr std::string_view kWaits = R"sql(
  SELECT s.start_ns AS start, s.start_ns + s.duration_ns AS "end",
         (SELECT CASE WHEN min(q.device) = max(q.device) THEN min(q.device) END
          FROM queue q WHERE q.context = s.context) AS deviceId,
         s.context AS contextId, ifnull(nullif(s.stream, 0), 4294967295) AS streamId,
         s.correlation AS correlationId, ifnull(p.pid, 0) << 24 AS globalPid, s.type AS syncType,
         ifnull(nullif(s.event, 0), 4294967295) AS eventId, NULL AS eventSyncId
  FROM sync s
  LEFT JOIN process p ON p.id = s.process_id)sql";

constexpr std::string_view kNodes = R"sql(
  SELECT n.time_ns AS start, NULL AS "end", 77 AS eventClass,
         ifnull(p.pid, 0) << 24 | (t.os_tid & 0xffffff) AS globalTid, NULL AS nameId,
         n.graph_node AS graphNodeId, nullif(n.original_node, 0) AS originalGraphNodeId
  FROM graph_node n
  LEFT JOIN thread t ON t.id = n.thread_id
  LEFT JOIN process p ON p.id = t.process_id)sql";

constexpr std::string_view kCudaOverheads = R"sql(
  SELECT o.start_ns AS start, o.start_ns + o.duration_ns AS "end", 103 AS eventClass,
         ifnull(p.pid, 0) << 24 | (o.os_tid & 0xffffff) AS globalTid, NULL AS correlationId,
         o.kind_id AS nameId, e.id AS overheadType
  FROM overhead o
  JOIN string s ON s.id = o.kind_id
  JOIN ENUM_CUPTI_OVERHEAD_TYPE e ON e.name = 'OVERHEAD_' || s.text
  LEFT JOIN process p ON p.id = o.process_id
  WHERE e.id IN (2, 6, 7, 8))sql";

constexpr std::string_view kOverheads = R"sql(
  SELECT o.start_ns AS start, o.start_ns + o.duration_ns AS "end",
         ifnull(p.pid, 0) << 24 | (o.os_tid & 0xffffff) AS globalTid, o.kind_id AS nameId,
         ifnull(e.id, 0) AS overheadType
  FROM overhead o
  LEFT JOIN string s ON s.id = o.kind_id
  LEFT JOIN ENUM_CUPTI_OVERHEAD_TYPE e ON e.name = 'OVERHEAD_' || upper(s.text)
  LEFT JOIN process p ON p.id = o.process_id
  WHERE ifnull(e.id, 0) NOT IN (2, 6, 7, 8))sql";

// The numbers of a text are varints, least significant bits first; each takes the place of a
// char(1) of the template.
constexpr std::string_view kNvtx = R"sql(
  SELECT e.start, e."end", e.eventType, e.id AS rangeId,
         nullif(e.category, 0) AS category, nullif(e.color, 0) AS color,
         CASE WHEN e.numbers IS NULL THEN s.text ELSE (
           WITH RECURSIVE filled(at, byte, value, shift, text) AS (
             SELECT 1,
                    instr('0123456789ABCDEF', substr(hex(substr(e.numbers, 1, 1)), 1, 1)) * 16 +
                    instr('0123456789ABCDEF', substr(hex(substr(e.numbers, 1, 1)), 2, 1)) - 17,
                    0, 0, s.text
             UNION ALL
             SELECT at + 1,
                    instr('0123456789ABCDEF', substr(hex(substr(e.numbers, at + 1, 1)), 1, 1))
                      * 16 +
                    instr('0123456789ABCDEF', substr(hex(substr(e.numbers, at + 1, 1)), 2, 1)) - 17,
                    CASE WHEN byte < 128 THEN 0 ELSE value | ((byte & 127) << shift) END,
                    CASE WHEN byte < 128 THEN 0 ELSE shift + 7 END,
                    CASE WHEN byte < 128
                         THEN substr(text, 1, instr(text, char(1)) - 1) ||
                              printf('%llu', value | (byte << shift)) ||
                              substr(text, instr(text, char(1)) + 1)
                         ELSE text END
             FROM filled WHERE at <= length(e.numbers))
           SELECT text FROM filled ORDER BY at DESC LIMIT 1) END AS text,
         CASE WHEN e.eventType IN (33, 75) THEN (SELECT pid << 24 FROM process)
              ELSE ifnull(p.pid, 0) << 24 | (t.os_tid & 0xffffff) END AS globalTid,
         ifnull(p.pid, 0) << 24 | (u.os_tid & 0xffffff) AS endGlobalTid,
         CASE WHEN e.numbers IS NULL THEN e.text_id END AS textId, e.domain_id - 1 AS domainId,
         CASE e.payload_type WHEN 1 THEN e.payload END AS uint64Value,
         CASE e.payload_type WHEN 2 THEN e.payload END AS int64Value,
         CASE e.payload_type WHEN 4 THEN e.payload END AS uint32Value,
         CASE e.payload_type WHEN 5 THEN (e.payload + 2147483648) % 4294967296 - 2147483648 END
           AS int32Value
  FROM (SELECT start_ns AS start, start_ns + duration_ns AS "end",
               CASE kind WHEN 1 THEN 60 ELSE 59 END AS eventType, id, category,
               color_argb AS color, text_id, numbers, thread_id, end_thread_id, domain_id,
               payload_type, payload
        FROM range WHERE kind <> 2 AND coalesce(start_ns + duration_ns, 0) >= 0
          AND (kind = 1 OR NOT EXISTS (SELECT 1 FROM capture) OR EXISTS (
            SELECT 1 FROM capture c WHERE range.id >= c.first_range
               AND (c.end_range = 0 OR range.id < c.end_range)))
        UNION ALL
        SELECT time_ns, NULL, 34, NULL, category, color_argb, text_id, numbers, thread_id, 0,
               domain_id, payload_type, payload
        FROM mark
        UNION ALL
        SELECT NULL, NULL, 75, NULL, NULL, NULL, name_id, NULL, 0, 0, id, 0, NULL FROM domain
        WHERE id > 1
        UNION ALL
        SELECT NULL, NULL, 33, NULL, object, NULL, name_id, NULL, 0, 0, domain_id, 0, NULL
        FROM name WHERE kind = 0) e
  LEFT JOIN string s ON s.id = e.text_id
  LEFT JOIN thread t ON t.id = e.thread_id
  LEFT JOIN thread u ON e."end" IS NOT NULL
                    AND u.id = ifnull(nullif(e.end_thread_id, 0), e.thread_id)
  LEFT JOIN process p ON p.id = t.process_id)sql";

constexpr std::string_view kGpus = R"sql(
  SELECT device AS id, nullif(name, '') AS name,
         nullif(CASE WHEN uuid LIKE 'GPU-%' THEN substr(uuid, 5) ELSE uuid END, '') AS uuid,
         device AS cuDevice, nullif(sm_count, 0) AS smCount,
         nullif(core_clock_khz, 0) * 1000 AS clockRate, nullif(memory_bytes, 0) AS totalMemory,
         nullif(memory_bandwidth_bytes_per_s, 0) AS memoryBandwidth,
         nullif(l2_bytes, 0) AS l2CacheSize, nullif(compute_major, 0) AS computeMajor,
         CASE WHEN compute_major > 0 THEN compute_minor END AS computeMinor
  FROM device)sql";

constexpr std::string_view kCudaDevices = R"sql(
  SELECT d.device AS gpuId, d.device AS cudaId, p.pid,
         nullif(CASE WHEN d.uuid LIKE 'GPU-%' THEN substr(d.uuid, 5) ELSE d.uuid END, '') AS uuid,
         nullif(d.sm_count, 0) AS numMultiprocessors
  FROM device d
  LEFT JOIN process p ON p.id = d.process_id)sql";

constexpr std::string_view kStart = R"sql(
  SELECT CAST(value AS INTEGER) AS utcEpochNs,
         strftime('%Y-%m-%dT%H:%M:%S', CAST(value AS INTEGER) / 1000000000, 'unixepoch') AS utcTime,
         NULL AS localTime
  FROM meta WHERE key = 'start_realtime_ns')sql";

constexpr std::string_view kThreads = R"sql(
  SELECT t.name_id AS nameId, NULL AS priority,
         ifnull(p.pid, 0) << 24 | (t.os_tid & 0xffffff) AS globalTid
  FROM thread t
  LEFT JOIN process p ON p.id = t.process_id
  WHERE t.name_id <> 0)sql";

constexpr std::string_view kProcesses = R"sql(
  SELECT ifnull(pid, 0) << 24 AS globalPid, pid, executable AS name FROM process)sql";

constexpr std::array kNsysViews = {
    View{"StringIds", "Texts. Kernel names are mangled.", kStringIds},
    View{"CUPTI_ACTIVITY_KIND_KERNEL", "Kernels; all three names are the mangled one.",
         kNsysKernels},
    View{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
         "Launches of graphs that are recorded as a whole; table kernel has them, too.",
         kWholeGraphs},
    View{"CUPTI_ACTIVITY_KIND_MEMCPY", "Memory copies; memories are numbered from 0, pageable.",
         kNsysCopies},
    View{"CUPTI_ACTIVITY_KIND_MEMSET", "Memory sets; memories as in copies.", kSets},
    View{"CUPTI_ACTIVITY_KIND_RUNTIME",
         "CUDA calls that the program made; eventClass is 0 for the runtime API, 1 for the driver "
         "API.",
         kCalls},
    View{"OSRT_API", "Operating system calls that may block; eventClass is always 27.", kOsCalls},
    View{
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        "Synchronizations; 4294967295 where there is no stream or event. The device is that of the "
        "context's GPU work.",
        kWaits},
    View{"CUDA_GRAPH_NODE_EVENTS", "Nodes of graphs, when and where they were created.", kNodes},
    View{"CUPTI_ACTIVITY_KIND_OVERHEAD", "Time that CUDA took; the name is CUPTI's word.",
         kCudaOverheads},
    View{"PROFILER_OVERHEAD",
         "Time that CUPTI took, and time of unknown cause; the name is CUPTI's word, or that of an "
         "imported export. overheadType is 0 where nsys has no number.",
         kOverheads},
    View{
        "NVTX_EVENTS",
        "Ranges, marks, domains and categories: eventType is 59 for push/pop, 60 for start/end, 34 "
        "for a mark, 75 for a domain, 33 for the name of a category; the default domain is 0. "
        "`text` is always the whole text, and textId that of a text without numbers of its own.",
        kNvtx},
    View{"TARGET_INFO_GPU", "GPUs, by CUDA's numbers.", kGpus},
    View{"TARGET_INFO_CUDA_DEVICE", "The same.", kCudaDevices},
    View{"TARGET_INFO_SESSION_START_TIME", "The instant from which all times count.", kStart},
    View{"ThreadNames", "Names of threads.", kThreads},
    View{"PROCESSES",
         "The process. Its id is in bits 24 to 47 of every globalPid and globalTid, 0 if it is "
         "unknown.",
         kProcesses},
    View{"ENUM_CUDA_MEMCPY_OPER", "Words for copyKind.", kCopyWords},
    View{"ENUM_CUDA_MEM_KIND", "Words for srcKind, dstKind and memKind.", kMemoryWords},
    View{"ENUM_CUPTI_SYNC_TYPE", "Words for syncType.", kWaitWords},
    View{"ENUM_CUPTI_OVERHEAD_TYPE", "Words for overheadType.", kOverheadWords},
    View{"ENUM_NSYS_EVENT_TYPE", "Words for the values of eventType that a trace has.",
         kEventTypeWords},
    View{"ENUM_NSYS_EVENT_CLASS", "Words for the values of eventClass that a trace has.",
         kEventClassWords},
};

}  // namespace

std::span<const View> nsys_views() { return kNsysViews; }

}  // namespace prof::schema
