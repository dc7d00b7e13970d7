// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Malicious traces and files beside them: opening one deletes and creates no file, does not block,
// and always ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <map>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
constexpr std::uint32_t kPageBytes = 4096;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// The header of a journal of a file that had so many pages, alone in its sector.
std::string journal(std::uint32_t pages, std::uint32_t page_bytes = kPageBytes) {
  std::string head = std::string(kMagic) + big_endian(0) + big_endian(12345) + big_endian(pages) +
                     big_endian(512) + big_endian(page_bytes);
  head.resize(512);
  return head;
}

/// What SQLite puts behind a journal that is one of several of a transaction.
std::string super_journal_record(const std::string& name) {
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(c);
  return big_endian(0x40000000 / kPageBytes + 1) + name +
         big_endian(static_cast<std::uint32_t>(name.size())) + big_endian(sum) +
         std::string(kMagic);
}

class HostileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = TraceWriter::create(path_);
    ASSERT_TRUE(writer.ok());
    sample::Options options;
    options.kernels = 200;
    options.configs = 10;
    sample::feed(**writer, options);
    writer->reset();
    pages_ = static_cast<std::uint32_t>(fs::file_size(path_) / kPageBytes);
  }

  void change(const std::string& sql) {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    const Status status = db->exec(sql.c_str());
    ASSERT_TRUE(status.ok()) << status.error().to_line();
  }

  /// Every file of the folder with its kind and its content.
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const bool regular = entry.symlink_status().type() == fs::file_type::regular;
      found[entry.path().filename()] =
          std::to_string(static_cast<int>(entry.symlink_status().type())) +
          (regular ? read_file(entry.path()) : std::string());
    }
    return found;
  }

  /// Reads everything, in a child that may take ten seconds: "N kernels", or the error's line.
  std::string read() const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      const std::string message = read_here();
      _exit(write(ends[1], message.data(), message.size()) < 0 ? 1 : 0);
    }
    close(ends[1]);
    std::string message(4096, '\0');
    const ssize_t got = ::read(ends[0], message.data(), message.size());
    message.resize(static_cast<std::size_t>(got > 0 ? got : 0));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
    return message;
  }

  [[nodiscard]] std::string read_here() const {
    const auto reader = TraceReader::open(path_);
    if (!reader) return reader.error().to_line();
    const auto cursor = (*reader)->gpu_work(TraceReader::Work::kKernels);
    std::uint64_t count = 0;
    while (const GpuRow* row = cursor->next()) {
      static_cast<void>((*reader)->string((*reader)->config(row->config).name));
      static_cast<void>((*reader)->range(row->stack));
      ++count;
    }
    static_cast<void>((*reader)->losses());
    if (!cursor->status()) return cursor->status().error().to_line();
    if (!(*reader)->status()) return (*reader)->status().error().to_line();
    return std::to_string(count) + " kernels";
  }

  /// Refused with a line that says `why`, and nothing in the folder has changed.
  void expect_refused(const std::string& why) {
    const auto before = files();
    const std::string message = read();
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with(path_ + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(files(), before);
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
  std::string journal_ = path_ + "-journal";
  std::uint32_t pages_ = 0;
};

TEST_F(HostileTest, AJournalThatNamesAFileToDelete) {
  const std::string precious = folder_.path("precious.txt");
  write_file(precious, "years of work");
  write_file(journal_, journal(pages_) + super_journal_record(precious));
  expect_refused("it names a file to delete");
}

TEST_F(HostileTest, AJournalThatNamesAFileToDeleteWhileTheTraceIsLocked) {
  const std::string precious = folder_.path("precious.txt");
  write_file(precious, "years of work");
  write_file(journal_, journal(pages_) + super_journal_record(precious));
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const int descriptor = open(path_.c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000000;
    lock.l_len = 512;
    const bool locked = fcntl(descriptor, F_SETLK, &lock) == 0;
    if (write(ready[1], locked ? "y" : "n", 1) == 1) pause();
    _exit(0);
  }
  char locked = 'n';
  ASSERT_EQ(::read(ready[0], &locked, 1), 1);
  EXPECT_EQ(locked, 'y');
  expect_refused("it names a file to delete");
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
}

TEST_F(HostileTest, TheDoorOfSqliteItselfDeletesNoForeignFile) {
  // Without the look at the journal before: what SQLite does of its own is refused.
  const std::string precious = folder_.path("precious.txt");
  write_file(precious, "years of work");
  for (const auto mode : {SqliteDb::Mode::kChange, SqliteDb::Mode::kOwnCopy}) {
    write_file(journal_, journal(pages_) + super_journal_record(precious));
    Result<SqliteDb> db = SqliteDb::open(path_, mode);
    ASSERT_TRUE(db.ok());
    EXPECT_FALSE(db->exec("SELECT 1 FROM sqlite_schema").ok());
  }
  EXPECT_EQ(read_file(precious), "years of work");
}

TEST_F(HostileTest, AJournalOfAnotherPageSize) {
  write_file(journal_, journal(pages_, 1024));
  expect_refused("its pages have 1024 bytes, the trace's have 4096");
}

TEST_F(HostileTest, AJournalOfALargerFile) {
  write_file(journal_, journal(0x40000000));
  expect_refused("it belongs to a larger file");
}

TEST_F(HostileTest, AJournalThatIsNone) {
  write_file(journal_, "notes of mine");
  expect_refused("that is not a journal");
}

TEST_F(HostileTest, AJournalThatIsNoFile) {
  ASSERT_EQ(mkfifo(journal_.c_str(), 0600), 0);
  expect_refused("that is not a regular file");
  fs::remove(journal_);
  fs::create_directory(journal_);
  expect_refused("that is not a regular file");
  fs::remove(journal_);
  write_file(folder_.path("else"), journal(pages_));
  fs::create_symlink(folder_.path("else"), journal_);
  expect_refused("that is not a regular file");
  fs::remove(journal_);
  const int socket_end = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(journal_.size(), sizeof address.sun_path);
  journal_.copy(address.sun_path, journal_.size());
  ASSERT_EQ(bind(socket_end, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  expect_refused("that is not a regular file");
  close(socket_end);
}

TEST_F(HostileTest, ASymbolicLinkToATraceHasTheJournalOfItsTarget) {
  write_file(journal_, journal(pages_, 1024));
  fs::create_symlink(path_, folder_.path("link.db"));
  path_ = folder_.path("link.db");
  expect_refused("its pages have 1024 bytes");
}

TEST_F(HostileTest, AnEmptyJournalIsNone) {
  write_file(journal_, "");
  const auto before = files();
  EXPECT_EQ(read(), "200 kernels");
  EXPECT_EQ(files(), before);
}

TEST_F(HostileTest, AWriteAheadLogLeavesNothingBehind) {
  change("PRAGMA journal_mode=WAL");
  const auto before = files();
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(read(), "200 kernels");
  EXPECT_EQ(files(), before);
}

TEST_F(HostileTest, WhatAWriteAheadLogHoldsIsRead) {
  change("PRAGMA journal_mode=WAL");
  Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
  ASSERT_TRUE(db.ok());
  ASSERT_TRUE(db->exec("DELETE FROM kernel_row WHERE correlation<=50").ok());
  const std::string copy = folder_.path("copy.db");
  fs::copy_file(path_, copy);
  fs::copy_file(path_ + "-wal", copy + "-wal");
  path_ = copy;
  const auto before = files();
  EXPECT_EQ(read(), "150 kernels");
  EXPECT_EQ(files(), before);
}

TEST_F(HostileTest, AForeignLogBesideATraceWithoutOneIsNotUsed) {
  write_file(path_ + "-wal", "notes of mine");
  write_file(path_ + "-shm", "more notes");
  const auto before = files();
  EXPECT_EQ(read(), "200 kernels");
  EXPECT_EQ(files(), before);
}

TEST_F(HostileTest, AViewInATablesPlace) {
  change(
      "ALTER TABLE kernel_row RENAME TO k; CREATE VIEW kernel_row AS WITH RECURSIVE n(correlation) "
      "AS (SELECT 1 UNION ALL SELECT correlation+1 FROM n) SELECT correlation, 0 AS origin_id, 0 "
      "AS "
      "repeat, 0 AS start_ns, 1 AS duration_ns, 1 AS form_id FROM n");
  expect_refused("is damaged: table kernel_row is a view");
  change("DROP VIEW kernel_row");
  expect_refused("is damaged: table kernel_row is missing");
  change("DROP VIEW kernel; CREATE TABLE kernel_row(correlation)");
  expect_refused("is damaged: table kernel_row has another key");
}

TEST_F(HostileTest, NarrowRowsWithoutWhatTheyReferTo) {
  change("ALTER TABLE launch_block RENAME TO b");
  expect_refused("is damaged: table launch_block is missing");
  change("ALTER TABLE b RENAME TO launch_block; ALTER TABLE kernel_form RENAME TO f");
  expect_refused("is damaged: table kernel_form is missing");
  change("ALTER TABLE f RENAME TO kernel_form; UPDATE kernel_form SET id = id + 1000");
  expect_refused("is damaged: an id is out of order");
}

TEST_F(HostileTest, AViewOfTheFileIsNeverRead) {
  change(
      "DROP VIEW kernel; CREATE VIEW kernel AS WITH RECURSIVE n(correlation) AS (SELECT 1 UNION "
      "ALL "
      "SELECT correlation+1 FROM n) SELECT correlation, 0 AS origin_id, 0 AS repeat, 0 AS "
      "start_ns, "
      "1 AS duration_ns, 1 AS config_id, 1 AS queue_id FROM n");
  EXPECT_EQ(read(), "200 kernels");
  change("DROP VIEW kernel");
  EXPECT_EQ(read(), "200 kernels");
}

TEST_F(HostileTest, ATableThatComputes) {
  change("DROP TABLE string; CREATE TABLE string(id INTEGER PRIMARY KEY, text AS (zeroblob(1e9)))");
  expect_refused("is damaged: table string has a computed column");
}

TEST_F(HostileTest, ATableThatIsMissingOrHasAnotherKey) {
  change("ALTER TABLE memcpy RENAME TO m");
  expect_refused("is damaged: table memcpy is missing");
  change("CREATE TABLE memcpy(correlation)");
  expect_refused("is damaged: table memcpy has another key");
}

TEST_F(HostileTest, EveryTableThatTheTraceWasMadeWithIsMissed) {
  const std::string whole = read_file(path_);
  for (const schema::Table& table : schema::tables()) {
    if (!table.select.empty()) continue;
    write_file(path_, whole);
    change("ALTER TABLE " + std::string(table.name) + " RENAME TO gone");
    expect_refused("is damaged: table " + std::string(table.name) + " is missing");
  }
}

TEST_F(HostileTest, WhatAPersonAddsIsLegal) {
  change(
      "CREATE VIEW mine AS SELECT count(*) FROM kernels; CREATE TABLE notes(a, b AS (a+1));"
      "CREATE INDEX faster ON kernel_row(start_ns); ALTER TABLE kernel_row ADD COLUMN mine TEXT;"
      "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END; ANALYZE");
  EXPECT_EQ(read(), "200 kernels");
}

TEST_F(HostileTest, AReadingConnectionReadsNothingElse) {
  change("CREATE TABLE notes(a)");
  Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
  ASSERT_TRUE(db.ok());
  constexpr std::array<std::string_view, 1> kTables = {"kernel_row"};
  db->allow_only(kTables);
  EXPECT_TRUE(db->prepare("SELECT count(*) FROM kernel_row").ok());
  for (const char* sql :
       {"SELECT a FROM notes", "ATTACH '/tmp/x' AS x", "PRAGMA writable_schema=1",
        "SELECT load_extension('x')", "SELECT zeroblob(1)", "CREATE TEMP TABLE t(a)",
        "DELETE FROM kernel_row", "SELECT count(*) FROM kernels",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT count(x) FROM n"}) {
    EXPECT_FALSE(db->prepare(sql).ok()) << sql;
  }
}

TEST_F(HostileTest, AStatementWithoutAnEndIsEnded) {
  Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
  ASSERT_TRUE(db.ok());
  Result<Statement> rows = db->prepare(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT count(x) FROM n");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->step(), Statement::Step::kError);
  EXPECT_EQ(db->error("cannot be read").what, "cannot be read: a table never ends");
}

/// What a capture that was killed in its first commit leaves: the rollback leaves nothing.
TEST_F(HostileTest, ACaptureThatWasKilledAsItBegan) {
  write_file(journal_, journal(0));
  EXPECT_EQ(read(), path_ + ": holds nothing: its capture was killed at the start; capture again");
  EXPECT_EQ(read(),
            path_ + ": is empty: not a trace, or one whose capture was killed at the start");
}

}  // namespace
}  // namespace prof
