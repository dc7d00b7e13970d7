// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace has the tables and columns of its schema version, each of them: what lacks one is
// damaged. What later versions added is absent.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "libprof/store/read/record_cursor.hpp"
#include "libprof/store/read/table_scan.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/schema/check.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/support/row_cursors.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

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
  std::size_t on_stacks = 0, visited = 0, with_text = 0;
  reader.thread_ranges([](DomainId, std::string_view text) { return !text.empty(); },
                       [&](const TextRangeRow&) { ++visited; });
  const auto stacks =
      reader.thread_stacks([](const StackFormRow& form) { return form.text.empty() ? 0U : 1U; });
  while (const StackPlaceRow* const row = stacks->next()) with_text += row->form;
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
  EXPECT_EQ(with_text, on_stacks);
  if (!reader.status()) return reader.status().error().to_line();
  if (!stacks->status()) return stacks->status().error().to_line();
  return counts;
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

  /// The trace as another version would have written it: without `table` if it is not empty.
  void write_as(std::int32_t version, std::string_view table = {}) {
    write_file(path_, whole_);
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    std::string sql =
        kDropViews + kDropTableViews + "PRAGMA user_version=" + std::to_string(version);
    if (!table.empty()) sql.append(";DROP TABLE ").append(table);
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

TEST_F(MissingColumnTest, IsDamage) {
  ASSERT_EQ(summary(path_), kAll);
  for (const schema::Table& table : schema::tables()) {
    if (!table.select.empty()) continue;
    for (const schema::Column& column : table.columns) {
      if (in_key(table, column.name)) continue;
      SCOPED_TRACE(std::string(table.name) + "." + std::string(column.name));
      ASSERT_NO_FATAL_FAILURE(write_without(table, {column.name}));
      EXPECT_EQ(summary(path_), path_ + ": is damaged: table " + std::string(table.name) +
                                    " has no " + std::string(column.name) + "; capture again");
    }
  }
}

TEST_F(MissingColumnTest, SoIsAMissingTable) {
  for (const schema::Table& table : schema::tables()) {
    if (!table.select.empty()) continue;
    write_file(path_, whole_);
    {
      Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
      ASSERT_TRUE(db.ok());
      const std::string sql =
          kDropViews + kDropTableViews + "DROP TABLE " + std::string(table.name);
      ASSERT_TRUE(db->exec(sql.c_str()).ok());
    }
    EXPECT_EQ(summary(path_), path_ + ": is damaged: table " + std::string(table.name) +
                                  " is missing; capture again");
  }
}

TEST_F(MissingColumnTest, ATableThatALaterVersionAddedIsNone) {
  for (std::int32_t version = kOldestSchema; version <= schema::kVersion; ++version) {
    for (const schema::Table& table : schema::tables()) {
      // Of the tables that are as old as the oldest version one stands for all.
      if (table.since == kOldestSchema && table.name != "sync") continue;
      SCOPED_TRACE(std::to_string(version) + " " + std::string(table.name));
      ASSERT_NO_FATAL_FAILURE(write_as(version, table.name));
      EXPECT_EQ(summary(path_), table.since > version
                                    ? kAll
                                    : path_ + ": is damaged: table " + std::string(table.name) +
                                          " is missing; capture again");
    }
  }
}

template <typename Record>
std::size_t rows_read(TraceReader& reader) {
  return rows_of(records_of<Record>(reader)).size();
}

TEST_F(MissingColumnTest, OfATableThatALaterVersionAddedThereAreNoRows) {
  for (std::int32_t version = kOldestSchema; version <= schema::kVersion; ++version) {
    // Those that are there are a user's own.
    ASSERT_NO_FATAL_FAILURE(write_as(version));
    const auto reader = TraceReader::open(path_);
    ASSERT_TRUE(reader.ok()) << reader.error().to_line();
    EXPECT_EQ(rows_read<DocumentRecord>(**reader), version >= 3 ? 1U : 0U);
    EXPECT_EQ(rows_read<CollectiveRecord>(**reader), version >= 4 ? 1U : 0U);
    Result<SqliteDb*> db = (*reader)->for_queries();
    ASSERT_TRUE(db.ok()) << db.error().to_line();
    Result<Statement> count = (*db)->prepare_query("SELECT count(*) FROM collective");
    ASSERT_TRUE(count.ok()) << count.error().to_line();
    ASSERT_EQ(count->step(), Statement::Step::kRow);
    EXPECT_EQ(count->integer(0), version >= 4 ? 1 : 0);
    EXPECT_TRUE((*reader)->status().ok());
  }
}

TEST_F(MissingColumnTest, AColumnThatALaterVersionAddedIsNull) {
  constexpr auto kNext = schema::kVersion + 1;
  constexpr std::array kColumns = {
      schema::Column{"id", kSqlKey, ""}, schema::Column{"text", kSqlText, ""},
      column::added(kNext, column::value("note", &DocumentRecord::name, "")).text};
  const std::array tables = {schema::Table{"string", "", kColumns}};
  for (const std::int32_t version : {schema::kVersion, kNext}) {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
    ASSERT_TRUE(db.ok());
    const Status checked = check_tables(*db, version, tables);
    EXPECT_EQ(checked.ok(), version == schema::kVersion);
    if (!checked) {
      EXPECT_EQ(checked.error().what, "is damaged: table string has no note");
      continue;
    }
    TableScan scan;
    constexpr std::array<std::string_view, 2> kNames = {"note", "id"};
    std::optional<DbPages> pages = DbPages::open(*db);
    ASSERT_TRUE(scan.open(*db, pages ? &*pages : nullptr, "string", kNames).ok());
    std::int64_t last = -1;
    while (scan.next()) {
      scan.row([&](const auto& row) {
        EXPECT_TRUE(row.is_null(0));
        EXPECT_GT(row.integer(1), last);
        last = row.integer(1);
      });
    }
    EXPECT_TRUE(scan.status().ok());
    EXPECT_GE(last, 1);
  }
}

TEST_F(MissingColumnTest, ViewsOverTheTablesAreTheReadersOwn) {
  {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok() && db->exec((kDropViews + kDropTableViews).c_str()).ok());
  }
  EXPECT_EQ(summary(path_), kAll);
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(rows_of(records_of<HostOpRecord>(**reader)).size(), 1U);
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
