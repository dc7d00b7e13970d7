// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Saving an attribution changes a trace wholly or not at all, and touches nothing that it did not
// make.
#include "libprof/store/save/saved_attribution.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

const SavedKey kKey{"1.0/1", "[]"};

class SavedTest : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = TraceWriter::create(path_);
    ASSERT_TRUE(writer.ok());
    sample::Options options;
    options.kernels = 200;
    options.configs = 10;
    sample::feed(**writer, options);
    writer->reset();
    original_ = read_file(path_);
  }

  void change(const std::string& sql) const {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    const Status status = db->exec(sql.c_str());
    ASSERT_TRUE(status.ok()) << status.error().to_line();
  }

  [[nodiscard]] std::string value(const std::string& sql) const {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
    Result<Statement> row = db->prepare(sql);
    if (!row || row->step() != Statement::Step::kRow) return "nothing";
    return std::string(row->text(0));
  }

  /// So many kernels of one attribution.
  static Status collect(SavedAttribution& saved, std::int64_t kernels) {
    constexpr SavedTable kFacts[] = {SavedTable::kOp, SavedTable::kKernelName,
                                     SavedTable::kAttribution};
    for (const SavedTable table : kFacts) {
      const auto& columns = schema::saved_tables()[static_cast<std::size_t>(table) + 1].columns;
      std::vector<SavedValue> values(columns.size() - 1);
      if (table == SavedTable::kAttribution) {
        std::fill_n(values.begin(), 4, std::int64_t{1});
        values[0] = std::int64_t{0};
        values[3] = std::int64_t{0};
      }
      if (table == SavedTable::kOp) values[3] = std::string_view("linear");
      PROF_TRY(saved.add(table, 1, values));
    }
    const SavedValue run[] = {SavedValue(), std::int64_t{0}};
    PROF_TRY(saved.add(SavedTable::kRun, 1, run));
    for (std::int64_t i = 1; i <= kernels; ++i) {
      const SavedValue work[] = {i, std::int64_t{0}, std::int64_t{1}, SavedValue()};
      PROF_TRY(saved.add(SavedTable::kWork, i, work));
    }
    return {};
  }

  /// Empty, or the line of the error.
  std::string save(const SavedKey& key = kKey, std::int64_t kernels = 200) const {
    auto saved = SavedAttribution::open(path_, key);
    if (!saved) return saved.error().to_line();
    if ((*saved)->is_fresh()) return "fresh";
    if (const Status status = collect(**saved, kernels); !status) return status.error().to_line();
    const auto added = (*saved)->commit();
    return added ? "" : added.error().to_line();
  }

  /// The trace is as it was, and nothing lies beside it.
  void expect_untouched(const std::string& content) const {
    EXPECT_TRUE(read_file(path_) == content) << "the trace has changed";
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
  }

  void expect_refused(const std::string& why) const {
    const std::string before = read_file(path_);
    const std::string line = save();
    EXPECT_NE(line.find(why), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    expect_untouched(before);
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
  std::string original_;
};

TEST_F(SavedTest, AddsTablesAndViewsThatAnyProgramCanRead) {
  ASSERT_EQ(save(), "");
  EXPECT_EQ(value("SELECT count(*) FROM attributed_kernels WHERE op = 'linear'"), "200");
  EXPECT_EQ(value("SELECT max(idx) FROM attributed_work"), "200");
  EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
  const auto reader = TraceReader::open(path_);
  EXPECT_TRUE(reader.ok()) << reader.error().to_line();
}

TEST_F(SavedTest, SavingTwiceChangesNothing) {
  ASSERT_EQ(save(), "");
  const std::string saved = read_file(path_);
  EXPECT_EQ(save(), "fresh");
  expect_untouched(saved);
}

TEST_F(SavedTest, AnotherVersionAndOtherDomainsAreSavedOver) {
  ASSERT_EQ(save(), "");
  EXPECT_EQ(save({"1.0/2", "[]"}, 150), "");
  EXPECT_EQ(value("SELECT count(*) FROM saved_work"), "150");
  EXPECT_EQ(save({"1.0/2", "[\"x\"]"}, 100), "");
  EXPECT_EQ(save({"1.0/2", "[\"x\"]"}, 100), "fresh");
  EXPECT_EQ(value("SELECT analyzers || domains FROM saved_analysis"), "1.0/2[\"x\"]");
  EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
}

TEST_F(SavedTest, AnAnalysisOfAnotherFormIsReplaced) {
  // As a version with other tables and views would have made it: "saved_op" has other columns, and
  // there is a table that this version does not know. The checksums are FNV-1a's of the statements.
  ASSERT_EQ(save(), "");
  change(
      "DROP VIEW attributed_work; DROP TABLE saved_op; CREATE TABLE saved_op(a);"
      "CREATE TABLE saved_other(b);"
      "UPDATE saved_analysis SET objects = objects || 'table saved_op 3bf51c6280a053f2' || char(10)"
      " || 'table saved_other 9b74423f1a788d9c' || char(10)");
  EXPECT_EQ(save(), "");
  EXPECT_EQ(value("SELECT count(*) FROM sqlite_schema WHERE name = 'saved_other'"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM attributed_work WHERE op = 'linear'"), "200");
  EXPECT_EQ(save(), "fresh");
}

TEST_F(SavedTest, AMissingViewIsMadeAgain) {
  ASSERT_EQ(save(), "");
  change("DROP VIEW attributed_ops");
  EXPECT_EQ(save(), "");
  EXPECT_EQ(value("SELECT count(*) FROM attributed_ops"), "0") << "none of these has an op";
}

TEST_F(SavedTest, RefusesTriggers) {
  change("CREATE TRIGGER t AFTER INSERT ON kernel_row BEGIN DELETE FROM kernel_row; END");
  expect_refused("has a trigger");
}

TEST_F(SavedTest, RefusesWhatHasOurNamesAndIsNotOurs) {
  change("CREATE TABLE saved_op(mine)");
  expect_refused("has table saved_op, which prof-report did not make");
}

TEST_F(SavedTest, RefusesOurNamesInAnyCaseAndOfAnyKind) {
  change("CREATE INDEX ATTRIBUTED_WORK ON kernel_row(start_ns)");
  expect_refused("has index attributed_work");
}

TEST_F(SavedTest, RefusesAVirtualTable) {
  change("CREATE VIRTUAL TABLE saved_work USING rtree(id, a, b)");
  expect_refused("has table saved_work");
}

TEST_F(SavedTest, RefusesAnAnalysisThatSomebodyHasChanged) {
  ASSERT_EQ(save(), "");
  change("DROP VIEW attributed_work; CREATE VIEW attributed_work AS SELECT 1 AS idx");
  expect_refused("has view attributed_work");
}

TEST_F(SavedTest, RefusesAnIndexOfSomebodyElseOnOurTable) {
  ASSERT_EQ(save(), "");
  change("CREATE INDEX mine ON saved_work(correlation)");
  expect_refused("has an index on table saved_work");
}

TEST_F(SavedTest, RefusesATableThatOnlyLooksLikeTheRecord) {
  change("CREATE TABLE saved_analysis(id, analyzers, domains, objects)");
  expect_refused("has table saved_analysis");
}

TEST_F(SavedTest, ARecordThatListsTheTracesOwnTablesDropsNone) {
  ASSERT_EQ(save(), "");
  change(
      "CREATE TABLE saved_queries(mine); INSERT INTO saved_queries VALUES(7);"
      "UPDATE saved_analysis SET analyzers = 'x', objects = objects || "
      "(SELECT group_concat('table ' || name || ' 0', char(10)) FROM sqlite_schema)");
  EXPECT_EQ(save(), "");
  EXPECT_EQ(value("SELECT count(*) FROM kernel"), "200");
  EXPECT_EQ(value("SELECT mine FROM saved_queries"), "7");
}

TEST_F(SavedTest, RefusesAReadOnlyFile) {
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  expect_refused("is read-only");
}

TEST_F(SavedTest, RefusesLinks) {
  const std::string link = folder_.path("link.db");
  fs::create_symlink(path_, link);
  const auto by_symlink = SavedAttribution::open(link, kKey);
  ASSERT_FALSE(by_symlink.ok());
  EXPECT_NE(by_symlink.error().to_line().find("symbolic link"), std::string::npos);
  fs::remove(link);
  fs::create_hard_link(path_, link);
  const auto by_hard_link = SavedAttribution::open(link, kKey);
  ASSERT_FALSE(by_hard_link.ok());
  EXPECT_NE(by_hard_link.error().to_line().find("hard links"), std::string::npos);
  fs::remove(link);
  expect_untouched(original_);
}

TEST_F(SavedTest, RefusesWriteAheadMode) {
  change("PRAGMA journal_mode=WAL");
  expect_refused("write-ahead mode");
}

TEST_F(SavedTest, RefusesWhatIsNoTrace) {
  write_file(path_,
             "no trace, though it is long enough to have a header of a hundred bytes, which "
             "is what comes first in a database");
  expect_refused("is not a trace");
}

TEST_F(SavedTest, RefusesATraceThatIsStillWritten) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const std::string other = folder_.path("live.db");
  const pid_t capture = fork();
  if (capture == 0) {
    auto writer = TraceWriter::create(other);
    sample::feed(**writer, {});
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto saved = SavedAttribution::open(other, kKey);
  kill(capture, SIGKILL);
  waitpid(capture, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  ASSERT_FALSE(saved.ok());
  EXPECT_NE(saved.error().to_line().find("still being written"), std::string::npos)
      << saved.error().to_line();
}

TEST_F(SavedTest, WhoReadsTheTraceIsNotDisturbed) {
  Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
  ASSERT_TRUE(db.ok());
  Result<Statement> reading = db->prepare("SELECT * FROM kernel");
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(reading->step(), Statement::Step::kRow);
  const std::string line = save();
  EXPECT_NE(line.find("in use by another program"), std::string::npos) << line;
  std::uint64_t rows = 1;
  while (reading->step() == Statement::Step::kRow) ++rows;
  EXPECT_EQ(rows, 200u);
  *reading = {};
  EXPECT_TRUE(read_file(path_) == original_);
  EXPECT_EQ(save(), "");
}

TEST_F(SavedTest, ATraceThatChangesMeanwhileIsLeftAlone) {
  auto saved = SavedAttribution::open(path_, kKey);
  ASSERT_TRUE(saved.ok());
  ASSERT_TRUE(collect(**saved, 10).ok());
  change("UPDATE kernel_row SET duration_ns = 1 WHERE correlation = 3");
  const std::string changed = read_file(path_);
  const auto added = (*saved)->commit();
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().to_line().find("was changed by another program"), std::string::npos);
  EXPECT_TRUE(read_file(path_) == changed);
}

class FullDiskTest : public SavedTest {
 protected:
  /// Few enough to be collected in memory: it is the trace that finds no room.
  static constexpr std::int64_t kKernels = 200'000;

  /// Room for the tables' beginning, not for all rows.
  void limit() const {
    struct rlimit full {};
    getrlimit(RLIMIT_FSIZE, &full);
    full.rlim_cur = original_.size() + 512 * 1024;
    setrlimit(RLIMIT_FSIZE, &full);
  }

  /// In a child: limits stay with a process.
  [[nodiscard]] int save_in_child(bool ignore_signal) const {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, ignore_signal ? SIG_IGN : SIG_DFL);
      const struct rlimit no_core {};
      setrlimit(RLIMIT_CORE, &no_core);
      auto saved = SavedAttribution::open(path_, kKey);
      if (!saved || !collect(**saved, kKernels)) _exit(10);
      limit();
      const auto added = (*saved)->commit();
      const bool reported = !added && added.error().what.find("cannot be saved into") == 0;
      saved->reset();
      _exit(reported ? 1 : 11);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(FullDiskTest, LeavesTheTraceAsItWas) {
  const int status = save_in_child(/*ignore_signal=*/true);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  expect_untouched(original_);
}

TEST_F(FullDiskTest, ACrashInTheMiddleLeavesTheTraceAsItWas) {
  const int status = save_in_child(/*ignore_signal=*/false);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) << status;
  ASSERT_FALSE(read_file(path_) == original_) << "it died too early to show anything";
  const auto reader = TraceReader::open(path_);  // rolls back
  EXPECT_TRUE(reader.ok()) << reader.error().to_line();
  expect_untouched(original_);
  EXPECT_EQ(save(), "");
}

}  // namespace
}  // namespace prof
