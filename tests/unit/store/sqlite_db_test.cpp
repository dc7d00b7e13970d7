// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/sqlite_db.hpp"

#include <gtest/gtest.h>

namespace prof {
namespace {

TEST(SqliteDbTest, ValuesComeBack) {
  Result<SqliteDb> db = SqliteDb::open_memory();
  ASSERT_TRUE(db.ok());
  ASSERT_TRUE(db->exec("CREATE TABLE t(a, b, c, d, e)").ok());
  Result<Statement> insert = db->prepare("INSERT INTO t VALUES(?,?,?,?,?)");
  ASSERT_TRUE(insert.ok());
  insert->bind(1, -5);
  insert->bind_text(2, {});
  insert->bind_blob(3, std::string_view("\0x", 2));
  insert->bind_null(4);
  insert->bind_double(5, 0.5);
  EXPECT_EQ(insert->run(), Statement::Step::kDone);
  Result<Statement> select = db->prepare("SELECT * FROM t");
  ASSERT_TRUE(select.ok());
  ASSERT_EQ(select->step(), Statement::Step::kRow);
  EXPECT_EQ(select->integer(0), -5);
  EXPECT_FALSE(select->is_null(1)) << "the empty text is not NULL";
  EXPECT_EQ(select->text(1), "");
  EXPECT_EQ(select->blob(2), std::string_view("\0x", 2));
  EXPECT_TRUE(select->is_null(3));
  EXPECT_EQ(select->real(4), 0.5);
  EXPECT_EQ(select->step(), Statement::Step::kDone);
}

TEST(SqliteDbTest, ErrorsAreOneLineAboutTheFile) {
  const auto missing = SqliteDb::open("/no/such/file.db", SqliteDb::Mode::kReadOnly);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().to_line().find("/no/such/file.db: "), std::string::npos);
  Result<SqliteDb> db = SqliteDb::open_memory();
  ASSERT_TRUE(db.ok());
  EXPECT_FALSE(db->exec("nonsense").ok());
  EXPECT_FALSE(db->prepare("SELECT * FROM nowhere").ok());
  ASSERT_TRUE(db->exec("CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES(1)").ok());
  Result<Statement> again = db->prepare("INSERT INTO t VALUES(1)");
  EXPECT_EQ(again->run(), Statement::Step::kConstraint);
}

}  // namespace
}  // namespace prof
