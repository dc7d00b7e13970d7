// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema.hpp"

#include <algorithm>
#include <array>

namespace prof::schema {
namespace {

// clang-format off
constexpr std::string_view kId = "INTEGER PRIMARY KEY";
constexpr std::string_view kInt = "INTEGER";
constexpr std::string_view kNotNull = "INTEGER NOT NULL";
constexpr std::string_view kText = "TEXT";
constexpr std::string_view kBlob = "BLOB";

constexpr std::string_view kStart = "ns since the trace's start (meta start_realtime_ns); NULL: unknown";
constexpr std::string_view kDuration = "ns; NULL: unknown";
constexpr std::string_view kRepeat = "0; counts up among rows whose key is otherwise equal";
constexpr std::string_view kCorrelation = "joins the row to api_call; grows in launch order; 0: none";

constexpr std::array kMeta = {
    Column{"key", "TEXT NOT NULL", "see \"Keys of meta\""},
    Column{"value", kText, ""},
};
constexpr std::array kString = {
    Column{"id", kId, "other tables point here by columns named *_id"},
    Column{"text", "TEXT NOT NULL", "as the program passed it, any bytes; a range's template has char(1) in place of each number"},
};
constexpr std::array kProcess = {
    Column{"id", kId, "always 1: a trace has one process"},
    Column{"pid", kInt, "the operating system's process id"},
    Column{"executable", kText, "path of the program"},
    Column{"command_line", kText, "arguments, quoted for a shell"},
};
constexpr std::array kThread = {
    Column{"id", kId, "unique, unlike os_tid"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"os_tid", kNotNull, "gettid()"},
    Column{"generation", kNotNull, "number of earlier threads of the trace with the same os_tid"},
    Column{"name_id", kNotNull, "string.id, 0: no name"},
};
constexpr std::array kDevice = {
    Column{"device", kId, "CUDA ordinal as CUPTI reports it"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"name", kText, ""},
    Column{"uuid", kText, "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"},
    Column{"compute_major", kInt, "compute capability"},
    Column{"compute_minor", kInt, "compute capability"},
    Column{"sm_count", kInt, "streaming multiprocessors"},
    Column{"core_clock_khz", kInt, "kHz"},
    Column{"memory_clock_khz", kInt, "kHz"},
    Column{"memory_bus_bits", kInt, "bits"},
    Column{"memory_bytes", kInt, "bytes"},
    Column{"memory_bandwidth_bytes_per_s", kInt, "bytes/s"},
    Column{"l2_bytes", kInt, "bytes"},
};
constexpr std::array kDomain = {
    Column{"id", kId, "1: NVTX's default domain"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"name_id", kNotNull, "string.id"},
};
constexpr std::array kName = {
    Column{"kind", kNotNull, "0 category, 1 device, 2 context, 3 stream, 4 event, 5 other"},
    Column{"domain_id", kNotNull, "domain.id for categories, else 0"},
    Column{"object", kNotNull, "category number, device ordinal, or the handle's value"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"name_id", kNotNull, "string.id"},
};
constexpr std::array kApiFunction = {
    Column{"id", kId, ""},
    Column{"domain", kNotNull, "0 runtime API, 1 driver API"},
    Column{"name_id", kNotNull, "string.id; without version suffix, \"cudaLaunchKernel\""},
};
constexpr std::array kApiCall = {
    Column{"correlation", kNotNull, "grows in call order over all threads; nested calls share it; 0: none"},
    Column{"depth", kNotNull, "0: called by the program; n: inside n other recorded calls"},
    Column{"repeat", kNotNull, kRepeat},
    Column{"function_id", kNotNull, "api_function.id"},
    Column{"thread_id", kNotNull, "thread.id"},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, kDuration},
    Column{"range_id", kNotNull, "range.id: innermost open range of the thread over all domains, 0: none"},
    Column{"status", kNotNull, "the cudaError_t or CUresult returned"},
};
constexpr std::array kWorkOrigin = {
    Column{"id", kId, "0: launched by an API call, not in a graph"},
    Column{"origin", kNotNull, "0 API call, 1 graph, 2 launched by the device, 3 unknown"},
    Column{"graph", kNotNull, "CUPTI's graph id, 0: none"},
    Column{"graph_node", kNotNull, "CUPTI's graph node id, see graph_node; 0: none"},
};
constexpr std::array kQueue = {
    Column{"id", kId, ""},
    Column{"process_id", kNotNull, "process.id"},
    Column{"device", kNotNull, "device.device"},
    Column{"context", kNotNull, "CUPTI's context id"},
    Column{"stream", kNotNull, "CUPTI's stream id"},
};
constexpr std::array kLaunchConfig = {
    Column{"id", kId, ""},
    Column{"name_id", kNotNull, "string.id of the kernel's name, mangled"},
    Column{"grid_x", kNotNull, "blocks"},
    Column{"grid_y", kNotNull, "blocks"},
    Column{"grid_z", kNotNull, "blocks"},
    Column{"block_x", kNotNull, "threads"},
    Column{"block_y", kNotNull, "threads"},
    Column{"block_z", kNotNull, "threads"},
    Column{"cluster_x", kNotNull, "blocks, 0: launched without clusters"},
    Column{"cluster_y", kNotNull, "blocks"},
    Column{"cluster_z", kNotNull, "blocks"},
    Column{"registers_per_thread", kNotNull, ""},
    Column{"static_shared_bytes", kNotNull, "bytes per block"},
    Column{"dynamic_shared_bytes", kNotNull, "bytes per block"},
    Column{"local_bytes_per_thread", kNotNull, "bytes"},
    Column{"cooperative", kNotNull, "1: launched cooperatively"},
};
constexpr std::array kKernel = {
    Column{"correlation", kNotNull, kCorrelation},
    Column{"origin_id", kNotNull, "work_origin.id; 0: an ordinary launch"},
    Column{"repeat", kNotNull, kRepeat},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, kDuration},
    Column{"config_id", kNotNull, "launch_config.id"},
    Column{"queue_id", kNotNull, "queue.id"},
};
constexpr std::array kMemcpy = {
    Column{"correlation", kNotNull, kCorrelation},
    Column{"origin_id", kNotNull, "work_origin.id"},
    Column{"repeat", kNotNull, kRepeat},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, kDuration},
    Column{"queue_id", kNotNull, "queue.id"},
    Column{"bytes", kNotNull, "bytes"},
    Column{"copy_kind", kNotNull, "CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ..."},
    Column{"source", kNotNull, "CUpti_ActivityMemoryKind: 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, ..."},
    Column{"destination", kNotNull, "CUpti_ActivityMemoryKind"},
    Column{"async", kNotNull, "1: asynchronous"},
    Column{"peer_device", kNotNull, "destination device of a peer copy; otherwise the queue's device"},
    Column{"count", kNotNull, "copies in a batch that CUPTI reports as one record"},
};
constexpr std::array kMemset = {
    Column{"correlation", kNotNull, kCorrelation},
    Column{"origin_id", kNotNull, "work_origin.id"},
    Column{"repeat", kNotNull, kRepeat},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, kDuration},
    Column{"queue_id", kNotNull, "queue.id"},
    Column{"bytes", kNotNull, "bytes"},
    Column{"value", kNotNull, "the value that was set"},
    Column{"memory", kNotNull, "CUpti_ActivityMemoryKind"},
    Column{"async", kNotNull, "1: asynchronous"},
};
constexpr std::array kRange = {
    Column{"id", kId, "grows in the order in which a thread opens ranges"},
    Column{"parent_id", kNotNull, "range.id of the next outer range on the thread's stack over all domains, 0: none"},
    Column{"thread_id", kNotNull, "thread.id"},
    Column{"domain_id", kNotNull, "domain.id"},
    Column{"kind", kNotNull, "0 push/pop, 1 start/end (never a parent), 2 alias"},
    Column{"text_id", kNotNull, "string.id of the text, or of its template"},
    Column{"numbers", kBlob, "the template's numbers as varints (LEB128), NULL: text_id is the whole text"},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, "ns; NULL: never closed"},
    Column{"end_thread_id", kNotNull, "thread.id of the thread that ended it; 0: thread_id"},
    Column{"alias_of_id", kNotNull, "kind 2: the same opening, on a stack that changed below it; else 0"},
    Column{"category", kNotNull, "0: none; see name"},
    Column{"color_argb", kNotNull, "0: none"},
    Column{"payload_type", kNotNull, "0 none, 1 uint64, 2 int64, 3 double, 4 uint32, 5 int32, 6 float"},
    Column{"payload", kNotNull, "the payload's bits, zero-extended"},
};
constexpr std::array kMark = {
    Column{"id", kId, "in order of arrival"},
    Column{"thread_id", kNotNull, "thread.id"},
    Column{"domain_id", kNotNull, "domain.id"},
    Column{"parent_id", kNotNull, "range.id of the innermost open range, 0: none"},
    Column{"text_id", kNotNull, "as range.text_id"},
    Column{"numbers", kBlob, "as range.numbers"},
    Column{"time_ns", kInt, kStart},
    Column{"category", kNotNull, "0: none"},
    Column{"color_argb", kNotNull, "0: none"},
    Column{"payload_type", kNotNull, "as range.payload_type"},
    Column{"payload", kNotNull, "as range.payload"},
};
constexpr std::array kPayloadSchema = {
    Column{"domain_id", kNotNull, "domain.id"},
    Column{"schema", kNotNull, "the schema's id in its domain"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"name_id", kNotNull, "string.id"},
    Column{"fields_json", kText, "array of {\"name\",\"type\",\"offset\",\"array\",\"flags\"}"},
};
constexpr std::array kPayloadBlob = {
    Column{"id", kId, "in order of arrival"},
    Column{"range_id", kNotNull, "range.id; 0: of a mark"},
    Column{"domain_id", kNotNull, "domain.id"},
    Column{"schema", kNotNull, "payload_schema.schema"},
    Column{"bytes", kBlob, "as the program passed them"},
};
constexpr std::array kSync = {
    Column{"id", kId, "in order of arrival"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"correlation", kNotNull, kCorrelation},
    Column{"type", kNotNull, "0 unknown, 1 event, 2 stream waiting for an event, 3 stream, 4 context"},
    Column{"context", kNotNull, "CUPTI's context id"},
    Column{"stream", kNotNull, "CUPTI's stream id"},
    Column{"event", kNotNull, "CUPTI's event id"},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, kDuration},
};
constexpr std::array kOverhead = {
    Column{"id", kId, "in order of arrival"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"kind_id", kNotNull, "string.id of CUPTI's word, \"DRIVER_COMPILER\""},
    Column{"os_tid", kNotNull, "0: of the process or unknown"},
    Column{"start_ns", kInt, kStart},
    Column{"duration_ns", kInt, kDuration},
};
constexpr std::array kGraphNode = {
    Column{"graph_node", kId, "CUPTI's graph node id, as in work_origin"},
    Column{"graph", kNotNull, "CUPTI's graph id"},
    Column{"original_node", kNotNull, "the node from which it was cloned, 0: none"},
    Column{"node_type", kNotNull, "CUgraphNodeType"},
    Column{"thread_id", kNotNull, "thread.id"},
    Column{"range_id", kNotNull, "range.id: innermost open range when the node was created, 0: none"},
    Column{"time_ns", kInt, kStart},
};
constexpr std::array kClockSync = {
    Column{"id", kId, "in order of arrival"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"realtime_ns", kNotNull, "CLOCK_REALTIME, ns since the epoch"},
    Column{"monotonic_ns", kNotNull, "CLOCK_MONOTONIC, ns"},
    Column{"cupti_ns", kNotNull, "cuptiGetTimestamp, ns"},
};
constexpr std::array kLoss = {
    Column{"what", "TEXT NOT NULL", "a word of libprof/model/losses.hpp"},
    Column{"process_id", kNotNull, "process.id"},
    Column{"count", kNotNull, "number of items"},
    Column{"first_ns", kInt, kStart},
    Column{"last_ns", kInt, kStart},
    Column{"detail", "TEXT NOT NULL", "the first detail reported, may be empty"},
};

constexpr std::array kTables = {
    Table{"meta", "Facts about the whole capture.", kMeta, "key"},
    Table{"string", "Texts, each once.", kString, ""},
    Table{"process", "The captured process. Every row of the trace belongs to it, through thread_id, queue_id or process_id.", kProcess, ""},
    Table{"thread", "Threads that made recorded calls.", kThread, ""},
    Table{"device", "GPUs visible to the program.", kDevice, ""},
    Table{"domain", "NVTX domains.", kDomain, ""},
    Table{"name", "Names assigned by the program.", kName, "kind, domain_id, object"},
    Table{"api_function", "CUDA functions that were called.", kApiFunction, ""},
    Table{"api_call", "Calls of CUDA functions. Clustered by correlation, so in call order.", kApiCall, "correlation, depth, repeat"},
    Table{"work_origin", "How GPU work was launched, where a correlation alone does not identify it.", kWorkOrigin, ""},
    Table{"queue", "Where GPU work ran.", kQueue, ""},
    Table{"launch_config", "Launch parameters, shared by launches. Duplicate rows may occur.", kLaunchConfig, ""},
    Table{"kernel", "One row per kernel that ran. Clustered by correlation, so in launch order.", kKernel, "correlation, origin_id, repeat"},
    Table{"memcpy", "Memory copies that ran on a GPU.", kMemcpy, "correlation, origin_id, repeat"},
    Table{"memset", "Memory sets that ran on a GPU.", kMemset, "correlation, origin_id, repeat"},
    Table{"range", "NVTX ranges, one row per opening. A range's id also identifies the whole stack that was open at the time: follow parent_id.", kRange, ""},
    Table{"mark", "NVTX marks.", kMark, ""},
    Table{"payload_schema", "Schemas of NVTX's payload extension, as the program registered them.", kPayloadSchema, "domain_id, schema"},
    Table{"payload_blob", "Binary payloads of NVTX's payload extension.", kPayloadBlob, ""},
    Table{"sync", "Synchronizations as CUPTI reports them.", kSync, ""},
    Table{"overhead", "Time spent in CUDA or CUPTI itself.", kOverhead, ""},
    Table{"graph_node", "Nodes of CUDA graphs as the program created them.", kGraphNode, ""},
    Table{"clock_sync", "The same instant on three clocks, sampled about every second.", kClockSync, ""},
    Table{"loss", "Counts of what was lost or inconsistent.", kLoss, "what"},
};

constexpr std::array kIndexes = {
    Index{"process_range", "Ranges of the process, which are on no thread's stack.", "range(start_ns) WHERE kind = 1"},
    Index{"payload_of_range", "Payloads by their range.", "payload_blob(range_id)"},
};

constexpr std::array kMetaKeys = {
    MetaKey{"schema_version", "this page's version; also PRAGMA user_version"},
    MetaKey{"start_realtime_ns", "the trace's start, ns of CLOCK_REALTIME since the epoch (UTC); all times but clock_sync's count from it"},
    MetaKey{"ended", "how the capture ended: \"stop\" or \"exit\"; absent: it was killed or is still running"},
    MetaKey{"pid", "also process.pid"},
    MetaKey{"executable", "also process.executable"},
    MetaKey{"command_line", "also process.command_line"},
    MetaKey{"host", "the machine's host name; in a container, the container's"},
    MetaKey{"boot_id", "the kernel's boot id: traces with the same id share their clocks"},
    MetaKey{"env.NAME", "an environment variable that affects CUDA or gives the process's place in a distributed job (RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID, TORCHELASTIC_RUN_ID, ...: libprof/model/job.hpp)"},
};
// clang-format on

std::string section(const View& view) {
  std::string page = "\n### ";
  page.append(view.name).append("\n").append(view.doc).append("\n\n```sql\n");
  return page.append(create(view)).append("\n```\n");
}

std::string section(const Table& table) {
  std::string page = "\n### ";
  page.append(table.name).append("\n").append(table.doc);
  if (!table.primary_key.empty()) page.append(" Key: ").append(table.primary_key).append(".");
  page.append("\n\n| column | type | what |\n|---|---|---|\n");
  for (const Column& column : table.columns) {
    page.append("| ").append(column.name).append(" | ").append(column.type).append(" | ");
    page.append(column.doc).append(" |\n");
  }
  return page;
}

}  // namespace

std::span<const Table> tables() { return kTables; }
bool has_column(std::string_view table, std::string_view column) {
  const auto* const found = std::ranges::find(kTables, table, &Table::name);
  return found != kTables.end() &&
         std::ranges::find(found->columns, column, &Column::name) != found->columns.end();
}

std::span<const Index> indexes() { return kIndexes; }
std::span<const MetaKey> meta_keys() { return kMetaKeys; }

std::string create(const Table& table) {
  std::string sql = "CREATE TABLE ";
  sql.append(table.name).append("(\n");
  for (const Column& column : table.columns) {
    const bool last = &column == &table.columns.back() && table.primary_key.empty();
    sql.append("  ").append(column.name).append(" ").append(column.type);
    sql.append(last ? "" : ",");
    // SQLite keeps the text, comments included, so that .schema documents a trace.
    if (!column.doc.empty()) sql.append(" -- ").append(column.doc);
    sql.push_back('\n');
  }
  if (table.primary_key.empty()) return sql.append(")");
  return sql.append("  PRIMARY KEY (").append(table.primary_key).append(")\n) WITHOUT ROWID");
}

std::string create(const View& view) {
  return std::string("CREATE VIEW ").append(view.name).append(" AS").append(view.select);
}

std::string ddl() {
  std::string sql = "PRAGMA application_id=" + std::to_string(kApplicationId) +
                    ";\nPRAGMA user_version=" + std::to_string(kVersion) + ";\n";
  for (const Table& table : kTables) sql.append(create(table)).append(";\n");
  for (const Index& index : kIndexes) {
    sql.append("CREATE INDEX ").append(index.name).append(" ON ").append(index.on).append(";\n");
  }
  for (const View& view : views()) sql.append(create(view)).append(";\n");
  return sql;
}

std::string markdown() {
  std::string page =
      "<!-- Generated from libprof/store/schema.cpp: PROF_UPDATE_DOCS=1 build/tests/store_test "
      "--gtest_filter='SchemaDoc*' regenerates it. -->\n"
      "# trace.db, schema version " +
      std::to_string(kVersion) +
      "\n\n"
      "A trace is one SQLite file (`PRAGMA application_id` is " +
      std::to_string(kApplicationId) +
      ", \"prof\"; `PRAGMA user_version` is the schema version), so any SQL tool can query it:\n\n"
      "    sqlite3 -box trace.db 'SELECT name, count(*), sum(duration_ns) FROM kernels "
      "GROUP BY name ORDER BY 3 DESC LIMIT 10'\n\n"
      "Times are nanoseconds. 64-bit values above 2^63 are stored as the negative number of the "
      "same "
      "bits. Ids are local to one trace. Enumerations are written as numbers, in the columns' "
      "descriptions. Start with the views.\n\n## Views\n";
  for (const View& view : views()) page.append(section(view));
  page.append("\n## Tables\n");
  for (const Table& table : kTables) page.append(section(table));
  page.append("\n## Indexes\n\n| index | on | what |\n|---|---|---|\n");
  for (const Index& index : kIndexes) {
    page.append("| ").append(index.name).append(" | ").append(index.on).append(" | ");
    page.append(index.doc).append(" |\n");
  }
  page.append("\n## Keys of meta\n\n| key | what |\n|---|---|\n");
  for (const MetaKey& key : kMetaKeys) {
    page.append("| ").append(key.key).append(" | ").append(key.doc).append(" |\n");
  }
  page.append(
      "\n## Saved attribution\n\n"
      "`prof-report --save` adds these tables and views ([save.md](save.md)). They hold what the "
      "analyzers of one version say. Read the views: the tables may change with any version.\n");
  for (const View& view : saved_views()) page.append(section(view));
  for (const Table& table : saved_tables()) page.append(section(table));
  return page;
}

}  // namespace prof::schema
