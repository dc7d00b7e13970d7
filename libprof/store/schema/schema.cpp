// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema/schema.hpp"

#include <algorithm>
#include <array>

#include "libprof/store/schema/tables.hpp"

namespace prof::schema {
namespace {

// clang-format off
constexpr std::array kIndexes = {
    Index{"process_range", "Ranges of the process, which are on no thread's stack.", "range_rare(id) WHERE kind = 1"},
    Index{"payload_of_range", "Payloads by their range.", "payload_blob(range_id)"},
};

constexpr std::array kMetaKeys = {
    MetaKey{"schema_version", "the trace's version; also PRAGMA user_version"},
    MetaKey{"prof_version", "the release of libprof that wrote the trace"},
    MetaKey{"start_realtime_ns", "the trace's start, ns of CLOCK_REALTIME since the epoch (UTC); all times but clock_sync's count from it"},
    MetaKey{"ended", "how the capture ended: \"stop\" or \"exit\"; absent: it was killed or is still running"},
    MetaKey{"pid", "also process.pid"},
    MetaKey{"executable", "also process.executable"},
    MetaKey{"command_line", "also process.command_line"},
    MetaKey{"host", "the machine's host name; in a container, the container's"},
    MetaKey{"boot_id", "the kernel's boot id: traces with the same id share their clocks"},
    MetaKey{"device_state", "how often device states were sampled (\"every 1000 ms\"), and why there are none of a device; absent: not asked for, or nothing ran on a GPU for a second"},
    MetaKey{"os_calls", "how long an operating system call lasted at least to be recorded (\"from 1000 ns\"), or why none are; absent: not asked for"},
    MetaKey{"os_calls_shorter", "number of calls of the same functions that were shorter"},
    MetaKey{"graph_trace", "\"graph\": launches of graphs are recorded as a whole; \"graph; not recorded: launches by kernels\": those that calls make; \"node: WHY\": this was asked for, and why it was not possible; absent: each node of a launch"},
    MetaKey{"graph_updates", "why there are no updates of graphs' executables; absent: they are recorded"},
    MetaKey{"mpi_rank", "the rank in MPI, where an imported file states it in the name of a thread; it counts before env.NAME"},
    MetaKey{"env.NAME", "an environment variable that affects CUDA or gives the process's place in a distributed job (RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID, TORCHELASTIC_RUN_ID, ...: libprof/model/job.hpp)"},
};
// clang-format on

std::string section(const View& view) {
  std::string page = "\n### ";
  page.append(view.name).append("\n").append(view.doc).append("\n\n```sql\n");
  return page.append(create(view)).append("\n```\n");
}

/// " Since version 3."; empty for objects that every version has.
std::string since_text(std::int32_t version) {
  return version == kOldestSchema ? "" : " Since version " + std::to_string(version) + ".";
}

/// The tables and columns that a version added: "document, kernel_form.priority".
std::string additions_of(std::int32_t version) {
  std::string list;
  const auto add = [&list](std::string_view table, std::string_view column) {
    list.append(list.empty() ? "" : ", ").append(table).append(column.empty() ? "" : ".");
    list.append(column);
  };
  for (const Table& table : kTables) {
    if (table.since == version) add(table.name, "");
    for (const Column& column : table.columns) {
      if (column.since == version && column.since > table.since) add(table.name, column.name);
    }
  }
  return list;
}

/// The guarantees to readers of other versions.
std::string versions_section() {
  std::string page =
      "\n## Versions\n\n"
      "Every release of libprof reads the traces of all schema versions from " +
      std::to_string(kOldestSchema) +
      " to its own, as they are: read-only, and without a copy. A version only adds: nothing is "
      "removed, renamed or given another meaning. In reports and with `--sql`, a table that a "
      "trace's "
      "version did not have has no rows, and a column is NULL; other programs see the file as it "
      "is. "
      "A trace that lacks what its own version has is damaged. Of a trace of a later version one "
      "line says which release reads it.\n\n| version | added |\n|---|---|\n";
  for (std::int32_t version = kOldestSchema; version <= kVersion; ++version) {
    page.append("| ").append(std::to_string(version)).append(" | ");
    page.append(version == kOldestSchema ? "what has no version here" : additions_of(version));
    page.append(" |\n");
  }
  return page.append(
      "\nWho adds a table or a column gives it the new version as its `since` (in "
      "`libprof/model/records/` or `libprof/store/schema/`), increments `kVersion`, and puts a "
      "trace "
      "of that version beside the older ones in `tests/data/traces/`: neither the build nor the "
      "tests accept one without the others. A new column allows NULL, which means unknown.\n");
}

std::string section(const Table& table) {
  std::string page = "\n### ";
  page.append(table.name).append("\n").append(table.doc);
  if (!table.primary_key.empty()) page.append(" Key: ").append(table.primary_key).append(".");
  page.append(since_text(table.since));
  page.append("\n\n| column | type | what |\n|---|---|---|\n");
  for (const Column& column : table.columns) {
    page.append("| ").append(column.name).append(" | ").append(column.type).append(" | ");
    page.append(column.doc);
    if (column.since > table.since) page.append(";").append(since_text(column.since));
    page.append(" |\n");
  }
  if (!table.select.empty()) page.append("\n```sql\n").append(create(table)).append("\n```\n");
  return page;
}

}  // namespace

std::span<const Table> tables() { return kTables; }
std::span<const Index> indexes() { return kIndexes; }
std::span<const MetaKey> meta_keys() { return kMetaKeys; }

std::string create(const Table& table) {
  if (!table.select.empty()) return create(View{table.name, table.doc, table.select});
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

std::string insert(const Table& table) {
  std::string columns, values;
  for (const Column& column : table.columns) {
    if (column.is_assigned) continue;
    columns.append(columns.empty() ? "" : ",").append(column.name);
    values.append(values.empty() ? "?" : ",?");
  }
  std::string sql = table.conflict == Conflict::kReplace ? "INSERT OR REPLACE" : "INSERT";
  sql.append(" INTO ").append(table.name).append("(").append(columns);
  sql.append(") VALUES(").append(values).append(")");
  if (table.conflict != Conflict::kUpdate) return sql;
  const bool by_row_id = table.primary_key.empty();
  sql.append(" ON CONFLICT(").append(by_row_id ? table.columns.front().name : table.primary_key);
  sql.append(") DO UPDATE SET ");
  return sql.append(table.update);
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
  for (const View& view : nsys_views()) sql.append(create(view)).append(";\n");
  return sql;
}

std::string markdown() {
  std::string page =
      "<!-- Generated from libprof/store/schema/schema.cpp: PROF_UPDATE_DOCS=1 "
      "build/tests/store_test "
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
  page.append(
      "\n## Views of Nsight Systems\n\n"
      "Names, columns and numbers are those of Nsight Systems' SQLite export, so that queries "
      "written for it run on a trace. What a trace does not know is NULL.\n");
  for (const View& view : nsys_views()) page.append(section(view));
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
  page.append(versions_section());
  page.append(
      "\n## Saved attribution\n\n"
      "`prof-report --save` adds these tables and views ([sql.md](../sql.md)). They hold what the "
      "analyzers of one version say. Read the views: the tables may change with any version.\n");
  for (const View& view : saved_views()) page.append(section(view));
  for (const Table& table : saved_tables()) page.append(section(table));
  return page;
}

}  // namespace prof::schema
