// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/schema/schema.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "libprof/store/sqlite/sqlite_db.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

void expect_readable(SqliteDb& db, std::span<const schema::Table> tables,
                     std::span<const schema::View> views) {
  for (const schema::Table& table : tables) {
    std::string columns;
    for (const schema::Column& column : table.columns) {
      columns.append(columns.empty() ? "" : ",").append(column.name);
    }
    const auto read = db.prepare("SELECT " + columns + " FROM " + std::string(table.name));
    EXPECT_TRUE(read.ok()) << table.name << ": " << read.error().to_line();
  }
  for (const schema::View& view : views) {
    const auto read = db.prepare("SELECT * FROM " + std::string(view.name));
    EXPECT_TRUE(read.ok()) << view.name << ": " << read.error().to_line();
  }
}

TEST(SchemaTest, EveryTableAndViewCanBeRead) {
  Result<SqliteDb> db = SqliteDb::open_memory();
  ASSERT_TRUE(db.ok());
  const Status made = db->exec(schema::ddl().c_str());
  ASSERT_TRUE(made.ok()) << made.error().to_line();
  expect_readable(*db, schema::tables(), schema::views());
  expect_readable(*db, {}, schema::nsys_views());
}

TEST(SchemaTest, SoCanWhatIsSavedLater) {
  Result<SqliteDb> db = SqliteDb::open_memory();
  ASSERT_TRUE(db.ok());
  ASSERT_TRUE(db->exec(schema::ddl().c_str()).ok());
  for (const schema::Table& table : schema::saved_tables()) {
    ASSERT_TRUE(db->exec(schema::create(table).c_str()).ok()) << table.name;
  }
  for (const schema::View& view : schema::saved_views()) {
    ASSERT_TRUE(db->exec(schema::create(view).c_str()).ok()) << view.name;
  }
  expect_readable(*db, schema::saved_tables(), schema::saved_views());
}

TEST(SchemaTest, EveryTableBelongsToAProcess) {
  for (const schema::Table& table : schema::tables()) {
    bool belongs = false;
    for (const schema::Column& column : table.columns) {
      belongs |= column.name == "process_id" || column.name == "thread_id" ||
                 column.name == "queue_id" || column.name == "range_id";
    }
    // What is interned belongs to the rows that point to it; meta to the capture.
    const bool shared = table.name == "meta" || table.name == "string" || table.name == "process" ||
                        table.name == "api_function" || table.name == "work_origin" ||
                        table.name == "launch_config" || table.name.ends_with("_form") ||
                        table.name.ends_with("_block") || table.name.ends_with("_row") ||
                        table.name == "range_rare";
    EXPECT_TRUE(belongs || shared) << table.name;
  }
}

TEST(SchemaDoc, IsWhatTheCodeSays) {
  const std::string path = PROF_SOURCE_DIR "/docs/formats/schema.md";
  if (std::getenv("PROF_UPDATE_DOCS") != nullptr) write_file(path, schema::markdown());
  EXPECT_EQ(read_file(path), schema::markdown())
      << "run this test with PROF_UPDATE_DOCS=1 and commit docs/formats/schema.md";
}

}  // namespace
}  // namespace prof
