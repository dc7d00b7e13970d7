// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A saved attribution has the columns of GPU work: a column that is added to one and not to the
// other is missed here. tests/golden/compare_saved.py compares the cells.
#include "tools/report/save/saved_rows.hpp"

#include <gtest/gtest.h>

#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/save/save_attribution.hpp"

namespace prof::reports {
namespace {

TEST(SavedRowsTest, TheViewsHaveTheColumnsOfGpuWorkInTheirOrder) {
  Result<SqliteDb> db = SqliteDb::open_memory();
  ASSERT_TRUE(db.ok());
  ASSERT_TRUE(db->exec(schema::ddl().c_str()).ok());
  for (const schema::Table& table : schema::saved_tables()) {
    ASSERT_TRUE(db->exec(schema::create(table).c_str()).ok());
  }
  for (const schema::View& view : schema::saved_views()) {
    ASSERT_TRUE(db->exec(schema::create(view).c_str()).ok());
    if (view.name == "attributed_ops") continue;
    const auto columns = table_columns(*db, view.name);
    ASSERT_TRUE(columns.ok()) << columns.error().to_line();
    std::vector<std::string> stored;
    for (const TableColumn& column : *columns) stored.push_back(column.name);
    std::vector<std::string> printed;
    for (const Field& field : kGpuWork.fields) {
      if (field.role != Role::kOnRequest) printed.emplace_back(field.column.word);
    }
    EXPECT_EQ(stored, printed) << view.name << ": see libprof/store/schema/saved_tables.cpp";
  }
}

TEST(SavedRowsTest, TellsWhatWasSaved) {
  EXPECT_EQ(to_line("a.db", {.was_fresh = true}), "a.db: this attribution is saved already");
  EXPECT_EQ(to_line("a.db", {.kernels = 1234567, .copies = 1, .attributions = 9, .bytes_added = 0}),
            "a.db: saved the attribution of 1,234,567 kernels and 1 copies and sets, 9 distinct; "
            "the file did not grow");
  EXPECT_NE(to_line("a.db", {.bytes_added = 4096}).find("grew by 4,096 bytes"), std::string::npos);
}

}  // namespace
}  // namespace prof::reports
