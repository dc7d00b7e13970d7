// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Schema 1 is frozen: what was written by it stays readable, and what its files lack is NULL.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "libprof/store/read/record_cursor.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/support/row_cursors.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

/// tests/golden/streams/mlp.jsonl as prof-import 0.1.0 stored it. Never made anew.
constexpr const char* kSchema1 = PROF_SOURCE_DIR "/tests/data/schema1.db.gz";

std::string unzipped(const char* path) {
  const gzFile file = gzopen(path, "rb");
  EXPECT_NE(file, nullptr) << path;
  std::string content;
  char block[4096];
  while (const int bytes = gzread(file, block, sizeof block)) {
    if (bytes < 0) break;
    content.append(block, static_cast<std::size_t>(bytes));
  }
  EXPECT_EQ(gzclose(file), Z_OK);
  return content;
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list.append(list.empty() ? "" : ",").append(word);
  return list;
}

/// How many rows each cursor gives, and whether all could be read.
std::string summary(const std::string& path) {
  const auto opened = TraceReader::open(path);
  if (!opened) return opened.error().to_line();
  TraceReader& reader = **opened;
  std::string counts =
      std::to_string(count_rows(reader.gpu_work(TraceReader::Work::kKernelsAndCopies))) +
      " work, " + std::to_string(count_rows(reader.api_calls())) + " calls, " +
      std::to_string(count_rows(reader.all_ranges())) + " ranges, " +
      std::to_string(count_rows(reader.marks())) + " marks, " +
      std::to_string(count_rows(reader.synchronizations())) + " waits, " +
      std::to_string(count_rows(reader.overheads())) + " overheads, " +
      std::to_string(count_rows(reader.clock_syncs())) + " clocks";
  std::size_t seen = reader.losses().size() + reader.threads().size() + reader.devices().size();
  for (const PayloadSchemaRow& schema : reader.payload_schemas()) {
    reader.payloads_with(schema.domain, schema.schema, [&](const PayloadRow&) { ++seen; });
  }
  std::size_t on_stacks = 0, visited = 0;
  reader.thread_ranges([](DomainId, std::string_view text) { return !text.empty(); },
                       [&](const TextRangeRow&) { ++visited; });
  for (const RangeSpanRow& range : rows_of(reader.all_ranges())) {
    const bool is_on_stack = range.kind == RangeRecord::Kind::kPushPop;
    if (is_on_stack && range.start_ns && !range.text.empty()) ++on_stacks;
    EXPECT_TRUE(reader.range(range.id));
    reader.payloads_of(range.id, [&](const PayloadRow&) { ++seen; });
  }
  reader.process_ranges([&](const TextRangeRow&) { ++seen; });
  static_cast<void>(reader.has_numbered_ranges());
  for (const GraphEventRow& event : rows_of(reader.graph_events())) seen += event.graph;
  EXPECT_EQ(visited, on_stacks);
  if (!reader.status()) return reader.status().error().to_line();
  return counts;
}

TEST(OldTraceTest, ATraceOfSchema1IsRead) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  write_file(path, unzipped(kSchema1));
  EXPECT_EQ(summary(path), "35 work, 35 calls, 46 ranges, 0 marks, 0 waits, 0 overheads, 0 clocks");
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->start_realtime_ns(), 1'700'000'000'000'000'000);
  EXPECT_FALSE((*reader)->has_numbered_ranges()) << "its ranges state no ops";
  EXPECT_FALSE((*reader)->range(1)->op.signature);
  const auto work = (*reader)->gpu_work(TraceReader::Work::kKernels);
  const GpuRow* const kernel = work->next();
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ((*reader)->string((*reader)->config(kernel->config).name), "_Z11init_kernelPfi");
  EXPECT_EQ((*reader)->config(kernel->config).grid, (Dim3{8, 4, 1}));
  EXPECT_EQ(kernel->duration_ns, 1'500);
}

TEST(OldTraceTest, ATableThatItLacksIsEmpty) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  write_file(path, unzipped(kSchema1));
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  EXPECT_TRUE(rows_of(records_of<DeviceStateRecord>(**reader)).empty());
  EXPECT_TRUE(rows_of(records_of<AllocationRecord>(**reader)).empty());
  EXPECT_TRUE(rows_of(records_of<OsCallRecord>(**reader)).empty());
  EXPECT_TRUE(rows_of(records_of<CaptureRecord>(**reader)).empty());
}

TEST(OldTraceTest, TheSchemaOnlyGrowsAtTheEndsOfItsTables) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  write_file(path, unzipped(kSchema1));
  Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kReadWrite);
  ASSERT_TRUE(db.ok());
  Result<Statement> names = db->prepare("SELECT name FROM sqlite_schema WHERE type='table'");
  ASSERT_TRUE(names.ok());
  int tables = 0;
  for (; names->step() == Statement::Step::kRow; ++tables) {
    const std::string name(names->text(0));
    const auto table = std::ranges::find(schema::tables(), name, &schema::Table::name);
    ASSERT_NE(table, schema::tables().end()) << name;
    const auto columns = table_columns(*db, name);
    ASSERT_TRUE(columns.ok());
    ASSERT_LE(columns->size(), table->columns.size()) << name;
    for (std::size_t i = 0; i < columns->size(); ++i) {
      EXPECT_EQ((*columns)[i].name, table->columns[i].name) << name;
    }
  }
  EXPECT_EQ(tables, 24);
}

// A table cannot be replaced under a view.
const std::string kDropViews = [] {
  std::string sql;
  for (const auto views : {schema::views(), schema::nsys_views()}) {
    for (const schema::View& view : views) sql.append("DROP VIEW ").append(view.name).append(";");
  }
  return sql;
}();

// Neither can one over which a view stands for a table. Readers do not need them.
const std::string kDropTableViews = [] {
  std::string sql;
  for (const schema::Table& table : schema::tables()) {
    if (!table.select.empty()) sql.append("DROP VIEW ").append(table.name).append(";");
  }
  return sql;
}();

class MissingColumnTest : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = TraceWriter::create(path_, {});
    ASSERT_TRUE(writer.ok());
    feed_full_records(**writer);
    (*writer)->on(MetaRecord{"ended", "stop"});
    writer->reset();
    whole_ = read_file(path_);
  }

  /// The trace as it would be without these columns of a table.
  void write_without(const schema::Table& table, const std::vector<std::string_view>& missing) {
    write_file(path_, whole_);
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    std::string sql = "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; BEGIN;";
    sql += kDropViews;
    std::vector<std::string> kept, columns;
    for (const schema::Column& column : table.columns) {
      if (std::ranges::find(missing, column.name) != missing.end()) continue;
      kept.emplace_back(column.name);
      columns.push_back(kept.back() + " " + std::string(column.type));
    }
    const bool keyed = !table.primary_key.empty();
    if (keyed) columns.push_back("PRIMARY KEY (" + std::string(table.primary_key) + ")");
    const std::string name(table.name);
    sql.append("CREATE TABLE rest(" + joined(columns) + ")" + (keyed ? " WITHOUT ROWID" : "") +
               ";");
    sql.append("INSERT INTO rest SELECT " + joined(kept) + " FROM " + name + ";");
    sql += kDropTableViews;
    if (table.select.empty()) sql.append("DROP TABLE " + name + ";");
    sql.append("ALTER TABLE rest RENAME TO " + name + "; COMMIT");
    const Status done = db->exec(sql.c_str());
    ASSERT_TRUE(done.ok()) << done.error().to_line();
  }

  static bool in_key(const schema::Table& table, std::string_view column) {
    if (table.primary_key.empty()) return column == table.columns.front().name;
    return (", " + std::string(table.primary_key) + ",").find(" " + std::string(column) + ",") !=
           std::string::npos;
  }

  static const schema::Table& table(std::string_view name) {
    return *std::ranges::find(schema::tables(), name, &schema::Table::name);
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
  std::string whole_;
};

constexpr const char* kAll = "3 work, 1 calls, 1 ranges, 1 marks, 1 waits, 1 overheads, 1 clocks";

TEST_F(MissingColumnTest, AnyOneLeavesAllRowsReadable) {
  ASSERT_EQ(summary(path_), kAll);
  for (const schema::Table& table : schema::tables()) {
    for (const schema::Column& column : table.columns) {
      if (in_key(table, column.name)) continue;
      SCOPED_TRACE(std::string(table.name) + "." + std::string(column.name));
      ASSERT_NO_FATAL_FAILURE(write_without(table, {column.name}));
      EXPECT_EQ(summary(path_), kAll);
    }
  }
}

TEST_F(MissingColumnTest, ItsValuesAreAbsentAndTheOthersStay) {
  write_without(table("api_call"), {"function_id", "duration_ns"});
  auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  const auto calls = rows_of((*reader)->api_calls());
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].function, StringId{});
  EXPECT_EQ(calls[0].duration_ns, std::nullopt);
  EXPECT_EQ(calls[0].thread, ThreadId{4});
  EXPECT_EQ(calls[0].status, -700);

  reader->reset();
  write_without(table("range"), {"parent_id", "numbers"});
  reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  const auto range = (*reader)->range(0x400000012);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->parent, 0u);
  EXPECT_EQ(range->thread, ThreadId{4});
  EXPECT_EQ(range->start_ns, 554'909'269);

  reader->reset();
  write_without(table("launch_config"), {"grid_x", "cooperative"});
  reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  EXPECT_EQ((*reader)->config(ConfigId{1}).grid, (Dim3{0, 65535, 3}));
  EXPECT_FALSE((*reader)->config(ConfigId{1}).cooperative);
}

TEST_F(MissingColumnTest, OpFactsMayBeInATableOfTheirOwn) {
  write_without(table("range"), {"signature_id", "seq", "forward_thread_id"});
  {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    const Status made = db->exec(
        "CREATE TABLE op_fact(range_id INTEGER PRIMARY KEY, signature_id INTEGER NOT NULL,"
        " seq INTEGER, forward_thread_id INTEGER NOT NULL);"
        "INSERT INTO op_fact SELECT id, 11, 787, 4 FROM range");
    ASSERT_TRUE(made.ok()) << made.error().to_line();
  }
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  for (const RangeId before : {RangeId{0}, RangeId{0x400000011}}) {
    const auto range = (*reader)->range_after(before);  // By a scan, then looked up.
    ASSERT_TRUE(range);
    EXPECT_EQ(range->start_ns, 554'909'269);
    EXPECT_EQ(range->op, (OpFact{StringId{11}, 787, ThreadId{4}}));
  }
  EXPECT_EQ(summary(path_), kAll);
}

TEST_F(MissingColumnTest, ACopyThatIsReadLacksThemToo) {
  write_without(table("kernel"), {"duration_ns"});
  {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok() && db->exec("PRAGMA journal_mode=WAL").ok());
  }
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  const auto work = (*reader)->gpu_work(TraceReader::Work::kKernels);
  const GpuRow* const row = work->next();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->duration_ns, 0);
  EXPECT_EQ(row->correlation, 0x500000003u);
}

TEST_F(MissingColumnTest, OfAKeyIsDamage) {
  for (const char* const name : {"kernel_row", "string"}) {
    write_file(path_, whole_);
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    std::string sql;
    sql += kDropViews;
    sql += kDropTableViews;
    sql.append("DROP TABLE ").append(name).append("; CREATE TABLE ").append(name);
    sql.append("(text, origin_id, repeat, PRIMARY KEY(origin_id, repeat)) WITHOUT ROWID");
    ASSERT_TRUE(db->exec(sql.c_str()).ok());
    EXPECT_EQ(summary(path_),
              path_ + ": is damaged: table " + name + " has another key; capture again");
  }
}

}  // namespace
}  // namespace prof
