// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A scan gives what SQLite's own SELECT gives, whatever rows and pages look like.
#include "libprof/store/read/table_scan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

constexpr std::string_view kColumns[] = {"a", "b", "c", "d"};

struct Row {
  std::int64_t numbers[3];
  bool nulls[3];
  std::string bytes;
  bool operator==(const Row&) const = default;
};

template <typename Rows>
Row row_of(const Rows& rows) {
  Row row{};
  for (int i = 0; i < 3; ++i) {
    row.numbers[i] = rows.integer(i);
    row.nulls[i] = rows.is_null(i);
  }
  row.bytes = rows.blob(3);
  return row;
}

std::vector<Row> selected(SqliteDb& db) {
  Result<Statement> select = db.prepare("SELECT a,b,c,d FROM t ORDER BY a,b");
  std::vector<Row> rows;
  while (select->step() == Statement::Step::kRow) rows.push_back(row_of(*select));
  return rows;
}

std::vector<Row> scanned(SqliteDb& db, DbPages* pages) {
  TableScan scan;
  const Status opened = scan.open(db, pages, "t", kColumns);
  EXPECT_TRUE(opened.ok()) << opened.error().to_line();
  std::vector<Row> rows;
  while (scan.next()) scan.row([&](const auto& row) { rows.push_back(row_of(row)); });
  EXPECT_TRUE(scan.status().ok());
  EXPECT_FALSE(scan.next());
  return rows;
}

/// Two kinds of tables; `e`, between the others, is not asked for.
constexpr const char* kByRowId = "CREATE TABLE t(a INTEGER PRIMARY KEY, b, e, c, d)";
constexpr const char* kByKey = "CREATE TABLE t(c, a, e, b, d, PRIMARY KEY(a, b)) WITHOUT ROWID";

class TableScanTest : public testing::TestWithParam<const char*> {
 protected:
  /// A database of that page size with `rows` rows of values of all sizes; every seventh is gone
  /// again.
  void make(int page_bytes, int rows) {
    auto made = make_db(page_bytes);
    ASSERT_TRUE(made.ok());
    db_ = std::make_unique<SqliteDb>(std::move(*made));
    ASSERT_TRUE(db_->exec("BEGIN").ok());
    Result<Statement> insert =
        db_->prepare("INSERT OR REPLACE INTO t(a,b,c,d,e) VALUES(?,?,?,?,?)");
    std::mt19937_64 random(static_cast<unsigned>(page_bytes + rows));
    for (int i = 0; i < rows; ++i) {
      insert->bind(1, static_cast<std::int64_t>(random()) >> (random() % 64));
      insert->bind(2, static_cast<std::int64_t>(random() % 3));
      insert->bind(3, static_cast<std::int64_t>(random()) >> (random() % 64));
      if (i % 5 == 0) insert->bind_null(3);
      // Now and then longer than a page, or than several.
      std::string bytes(random() % (i % 40 == 0 ? 5'000 : 90), '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      insert->bind_blob(4, bytes);
      insert->bind_double(5, 0.5);
      ASSERT_EQ(insert->run(), Statement::Step::kDone);
    }
    ASSERT_TRUE(db_->exec("DELETE FROM t WHERE a % 7 = 0; COMMIT").ok());
  }

  Result<SqliteDb> make_db(int page_bytes) {
    write_file(path_, "");
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    if (!db) return db;
    const std::string pragma = "PRAGMA page_size=" + std::to_string(page_bytes);
    EXPECT_TRUE(db->exec(pragma.c_str()).ok());
    EXPECT_TRUE(db->exec(GetParam()).ok());
    return db;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("scanned");
  std::unique_ptr<SqliteDb> db_;
};

INSTANTIATE_TEST_SUITE_P(Tables, TableScanTest, testing::Values(kByRowId, kByKey));

TEST_P(TableScanTest, GivesWhatSqliteGives) {
  for (const int page_bytes : {512, 4096, 65536}) {
    for (const int rows : {0, 1, 7, 300, 5'000}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, pages of " + std::to_string(page_bytes));
      make(page_bytes, rows);
      auto pages = DbPages::open(*db_);
      ASSERT_TRUE(pages);
      const std::vector<Row> expected = selected(*db_);
      EXPECT_EQ(scanned(*db_, &*pages), expected);
      EXPECT_EQ(scanned(*db_, nullptr), expected);
    }
  }
}

TEST_P(TableScanTest, ColumnsThatCameLaterAreNull) {
  make(4096, 10);
  ASSERT_TRUE(db_->exec("ALTER TABLE t ADD COLUMN late").ok());
  auto pages = DbPages::open(*db_);
  ASSERT_TRUE(pages);
  constexpr std::string_view kLate[] = {"late"};
  TableScan scan;
  ASSERT_TRUE(scan.open(*db_, &*pages, "t", kLate).ok());
  ASSERT_TRUE(scan.next());
  scan.row([](const auto& row) {
    EXPECT_TRUE(row.is_null(0));
    EXPECT_EQ(row.integer(0), 0);
  });
}

TEST_P(TableScanTest, WriteAheadLogsAreLeftToSqlite) {
  make(4096, 300);
  ASSERT_TRUE(db_->exec("PRAGMA journal_mode=WAL; DELETE FROM t WHERE a>0").ok());
  EXPECT_FALSE(DbPages::open(*db_));
  Result<SqliteDb> memory = SqliteDb::open_memory();
  ASSERT_TRUE(memory.ok());
  EXPECT_FALSE(DbPages::open(*memory));
}

TEST_P(TableScanTest, KeepsWritersOut) {
  make(4096, 300);
  auto pages = DbPages::open(*db_);
  Result<SqliteDb> other = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
  ASSERT_TRUE(pages && other);
  {
    TableScan scan;
    ASSERT_TRUE(scan.open(*db_, &*pages, "t", kColumns).ok());
    EXPECT_FALSE(other->exec("DELETE FROM t").ok());
  }
  EXPECT_TRUE(other->exec("DELETE FROM t").ok());
}

TEST_P(TableScanTest, WhatIsNotThereIsAnError) {
  make(4096, 10);
  auto pages = DbPages::open(*db_);
  ASSERT_TRUE(pages);
  constexpr std::string_view kNowhere[] = {"a", "nowhere"};
  EXPECT_FALSE(TableScan().open(*db_, &*pages, "t", kNowhere).ok());
  EXPECT_FALSE(TableScan().open(*db_, &*pages, "u", kColumns).ok());
}

TEST_P(TableScanTest, DamageEnds) {
  make(512, 400);
  const std::string whole = read_file(path_);
  std::mt19937 random(7);
  int failed = 0;
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 1 + round % 20; ++i) {
      // The first page lists the tables; SQLite reads it.
      damaged[512 + random() % (damaged.size() - 512)] = static_cast<char>(random());
    }
    write_file(path_, damaged);
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
    ASSERT_TRUE(db.ok());
    auto pages = DbPages::open(*db);
    ASSERT_TRUE(pages);
    TableScan scan;
    if (!scan.open(*db, &*pages, "t", kColumns)) continue;
    std::size_t rows = 0;
    for (; scan.next(); ++rows) {
      ASSERT_LT(rows, damaged.size());
      scan.row([](const auto& row) { static_cast<void>(row_of(row)); });
    }
    failed += scan.status().ok() ? 0 : 1;
  }
  EXPECT_GT(failed, 25);
}

}  // namespace
}  // namespace prof
