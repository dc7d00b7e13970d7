// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where and how a trace's file is made, and what happens when it cannot be written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "libprof/base/output_lock.hpp"
#include "libprof/model/losses.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "libprof/store/write/append_loss.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/support/forced_writers.hpp"
#include "tests/support/own_files.hpp"
#include "tests/support/row_cursors.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
};

TEST_F(OutputTest, IsPrivate) {
  ASSERT_TRUE(TraceWriter::create(path_).ok());
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_FALSE(fs::exists(path_ + "-journal"));
}

TEST_F(OutputTest, RefusesAnExistingFile) {
  write_file(path_, "precious");
  const auto writer = TraceWriter::create(path_);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().to_line(),
            path_ + ": exists already; name another output file, or force its replacement");
  EXPECT_EQ(read_file(path_), "precious");
  EXPECT_FALSE(TraceWriter::create(path_, {.force = true}).ok()) << "it is no trace";
  EXPECT_EQ(read_file(path_), "precious");
  write_file(path_, start_of_trace());
  EXPECT_TRUE(TraceWriter::create(path_, {.force = true}).ok());
  EXPECT_TRUE(TraceReader::open(path_).ok());
}

TEST_F(OutputTest, NeverWritesThroughASymbolicLink) {
  write_file(folder_.path("target"), start_of_trace());
  fs::create_symlink(folder_.path("target"), path_);
  EXPECT_FALSE(TraceWriter::create(path_).ok());
  ASSERT_TRUE(TraceWriter::create(path_, {.force = true}).ok());
  EXPECT_FALSE(fs::is_symlink(path_));
  EXPECT_EQ(read_file(folder_.path("target")), start_of_trace());
  fs::remove(path_);
  fs::create_symlink(folder_.path("nowhere"), path_);
  EXPECT_FALSE(TraceWriter::create(path_).ok());
  EXPECT_FALSE(fs::exists(folder_.path("nowhere")));
}

TEST_F(OutputTest, AFolderMayBeALink) {
  fs::create_directory(folder_.path("real"));
  fs::create_directory_symlink(folder_.path("real"), folder_.path("linked"));
  EXPECT_TRUE(TraceWriter::create(folder_.path("linked/t.db")).ok());
  EXPECT_TRUE(fs::exists(folder_.path("real/t.db")));
}

TEST_F(OutputTest, TellsOfAMissingFolder) {
  const auto writer = TraceWriter::create(folder_.path("no/such/t.db"));
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().where, folder_.path("no/such/t.db"));
  EXPECT_FALSE(TraceWriter::create(folder_.path()).ok());
  EXPECT_FALSE(TraceWriter::create("").ok());
}

TEST_F(OutputTest, AnOldJournalDoesNotSpoilANewTrace) {
  write_file(path_ + "-journal",
             std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) + std::string(2000, 'x'));
  { ASSERT_TRUE(TraceWriter::create(path_).ok()); }
  EXPECT_TRUE(TraceReader::open(path_).ok());
}

TEST_F(OutputTest, DescriptorsCloseOnExec) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  (*writer)->on(MetaRecord{"a", "b"});
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = fs::read_symlink(entry, error).string();
    if (error || target.find(path_) == std::string::npos) continue;
    ++found;
    const int descriptor = std::stoi(entry.path().filename());
    EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_GE(found, 1);
}

TEST_F(OutputTest, AFullDiskLosesOnlyWhatCameAfterTheLastCommit) {
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  sample::Options options;
  options.ranges = false;
  sample::feed(**writer, options);  // Commits.
  ASSERT_TRUE((*writer)->status().ok());
  const struct rlimit full { fs::file_size(path_) + 4096, before.rlim_max };
  setrlimit(RLIMIT_FSIZE, &full);
  for (std::uint64_t i = 0; i < 20'000; ++i) (*writer)->on(sample::launch(options, 5'000 + i));
  (*writer)->commit();
  EXPECT_FALSE((*writer)->status().ok());
  for (std::uint64_t i = 0; i < 10; ++i) (*writer)->on(sample::kernel(options, 5'000 + i));
  (*writer)->commit();
  EXPECT_EQ((*writer)->lost_records(), 20'010u);
  const std::string line = (*writer)->status().error().to_line();
  EXPECT_NE(line.find(path_), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  writer->reset();
  setrlimit(RLIMIT_FSIZE, &before);

  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1000u);
  bool reported = false;
  for (const LossRow& loss : (*reader)->losses()) {
    if (loss.what != info(Loss::kStoreError).word) continue;
    reported = true;
    EXPECT_EQ(loss.count, 20'010u);
    EXPECT_FALSE(loss.detail.empty());
  }
  EXPECT_TRUE(reported) << "there was room for the loss itself";
}

TEST_F(OutputTest, AFailedCommitCostsOnlyWhatItHeld) {
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  sample::Options options;
  sample::prologue(**writer, options);
  (*writer)->commit();
  const struct rlimit full { fs::file_size(path_), before.rlim_max };
  setrlimit(RLIMIT_FSIZE, &full);
  // With them texts that come once, and forms and blocks that later rows share.
  options.configs = 900;
  sample::feed(**writer, options);
  (*writer)->commit();
  EXPECT_FALSE((*writer)->status().ok());
  const std::uint64_t lost = (*writer)->lost_records();
  EXPECT_GE(lost, 2000u);
  setrlimit(RLIMIT_FSIZE, &before);
  (*writer)->commit();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    (*writer)->on(sample::launch(options, i));
    (*writer)->on(sample::kernel(options, i));
  }
  (*writer)->finish();
  EXPECT_EQ((*writer)->lost_records(), lost) << "nothing more";
  EXPECT_EQ((*writer)->held().kernels, 1000u);
  EXPECT_FALSE((*writer)->status().ok()) << "it is incomplete";
  writer->reset();

  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1000u);
  auto db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
  ASSERT_TRUE(db.ok());
  const auto count = [&](const std::string& from) {
    auto statement = db->prepare("SELECT count(*) FROM " + from);
    return statement && statement->step() == Statement::Step::kRow ? statement->integer(0) : -1;
  };
  EXPECT_EQ(count("kernel k JOIN launch_config c ON c.id = k.config_id "
                  "JOIN string s ON s.id = c.name_id JOIN queue q ON q.id = k.queue_id "
                  "WHERE k.start_ns > 0 AND s.text LIKE '_Z6kernel%'"),
            1000);
  EXPECT_EQ(count("api_call a JOIN thread t ON t.id = a.thread_id "
                  "JOIN api_function f ON f.id = a.function_id WHERE a.start_ns > 0"),
            1000);
  EXPECT_EQ(count("loss WHERE what = 'store_error' AND count = " + std::to_string(lost)), 1);
}

TEST_F(OutputTest, NeverWritesIntoADescriptorThatTheProgramTookOver) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  sample::Options options;
  options.ranges = false;
  sample::feed(**writer, options);
  // What a daemon does: closes all it sees and opens files of its own.
  std::vector<int> taken;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = fs::read_symlink(entry, error).string();
    if (!error && target.find(path_) != std::string::npos) {
      taken.push_back(std::stoi(entry.path().filename()));
    }
  }
  ASSERT_FALSE(taken.empty());
  for (const int descriptor : taken) close(descriptor);
  const std::string others = folder_.path("others");
  for (const int descriptor : taken) {
    const int mine = open(others.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (mine != descriptor) {
      dup2(mine, descriptor);
      close(mine);
    }
  }
  for (std::uint64_t i = 0; i < 5'000; ++i) (*writer)->on(sample::launch(options, 5'000 + i));
  (*writer)->commit();
  EXPECT_FALSE((*writer)->status().ok());
  EXPECT_GE((*writer)->lost_records(), 5'000u);
  writer->reset();
  EXPECT_EQ(read_file(others), "");
  for (const int descriptor : taken) {
    EXPECT_NE(fcntl(descriptor, F_GETFD), -1) << "the program's descriptor was closed";
    close(descriptor);
  }
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1000u);
}

TEST_F(OutputTest, AForkedChildLeavesTheFileAlone) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  sample::Options options;
  sample::feed(**writer, options);
  (*writer)->on(MetaRecord{"waiting", "yes"});
  const pid_t child = fork();
  if (child == 0) {
    writer->reset();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  (*writer)->on(MetaRecord{"after", "yes"});
  writer->reset();
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->meta("waiting"), "yes");
  EXPECT_EQ((*reader)->meta("after"), "yes");
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1000u);
}

TEST_F(OutputTest, ForceDoesNotTakeAFileThatIsBeingWritten) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  const pid_t child = fork();
  if (child == 0) _exit(TraceWriter::create(path_, {.force = true}).ok() ? 1 : 0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(OutputTest, AProgramThatReadsItsOwnTraceDoesNotDropTheLock) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  close(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(writer_of(path_), getpid());
  const pid_t child = fork();
  if (child == 0) {
    const bool is_kept = !TraceWriter::create(path_, {.force = true}).ok();
    const auto reader = TraceReader::open(path_);
    _exit(is_kept && reader.ok() && (*reader)->capture_end().still_written ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(OutputTest, AJournalThatIsNoneStays) {
  write_file(path_ + "-journal", "my diary");
  EXPECT_FALSE(TraceWriter::create(path_).ok());
  EXPECT_EQ(read_file(path_ + "-journal"), "my diary");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(OutputTest, SaysWhatTheFileHolds) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  sample::Options options;
  sample::feed(**writer, options);  // Commits.
  EXPECT_EQ((*writer)->held().kernels, 1000u);
  (*writer)->on(sample::kernel(options, 5'000));
  EXPECT_EQ((*writer)->held().kernels, 1000u) << "not committed";
  (*writer)->finish();
  EXPECT_EQ((*writer)->held().kernels, 1001u);
  EXPECT_EQ((*writer)->lost_records(), 0u);
}

TEST_F(OutputTest, AFileThatIsGoneHoldsNothing) {
  for (const bool replaced : {false, true}) {
    const std::string others = folder_.path("others");
    auto writer = TraceWriter::create(path_);
    ASSERT_TRUE(writer.ok());
    sample::Options options;
    options.ranges = false;
    sample::feed(**writer, options);
    if (replaced) {
      write_file(others, "another one's");
      fs::rename(others, path_);
    } else {
      fs::remove(path_);
    }
    (*writer)->finish();
    ASSERT_FALSE((*writer)->status().ok());
    EXPECT_NE((*writer)->status().error().to_line().find("was removed while it was being written"),
              std::string::npos);
    EXPECT_EQ((*writer)->held().kernels, 0u);
    EXPECT_GE((*writer)->lost_records(), 1000u);
    writer->reset();
    if (replaced) {
      EXPECT_EQ(read_file(path_), "another one's");
    }
    fs::remove(path_);
  }
}

TEST_F(OutputTest, AFileThatIsMovedGoesOn) {
  auto writer = TraceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  sample::Options options;
  sample::feed(**writer, options);
  const std::string moved = folder_.path("moved.db");
  fs::rename(path_, moved);
  (*writer)->on(sample::kernel(options, 5'000));
  (*writer)->finish();
  EXPECT_TRUE((*writer)->status().ok());
  EXPECT_TRUE((*writer)->was_moved());
  EXPECT_EQ((*writer)->held().kernels, 1001u);
  const auto reader = TraceReader::open(moved);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1001u);
}

TEST_F(OutputTest, ALossCanBeAddedToAFinishedTrace) {
  { ASSERT_TRUE(TraceWriter::create(path_).ok()); }
  const LossRecord loss{info(Loss::kAfterEnd).word, 3, 0, 0, {}};
  ASSERT_TRUE(append_loss(path_, loss).ok());
  ASSERT_TRUE(append_loss(path_, loss).ok());
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok());
  std::uint64_t count = 0;
  for (const LossRow& row : (*reader)->losses()) count += row.what == loss.what ? row.count : 0;
  EXPECT_EQ(count, 6u);
  EXPECT_FALSE(append_loss(folder_.path("none.db"), loss).ok());
}

TEST_F(OutputTest, WhatCannotBeMadeLeavesNothingBehind) {
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit small { 8192, before.rlim_max };
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_FALSE(TraceWriter::create(path_).ok());
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + "-journal"));
}

// Forced captures of one name at once: who was given the file keeps it to the end of its capture.
TEST_F(OutputTest, ForcedWritersDoNotTakeEachOthersFile) {
  expect_each_keeps_its_file(3, 40, [this] {
    auto writer = TraceWriter::create(path_, {.force = true});
    if (!writer) return Attempt::kRefused;
    (*writer)->on(MetaRecord{"a", "b"});
    (*writer)->finish();
    return (*writer)->status() ? Attempt::kKept : Attempt::kTakenAway;
  });
}

}  // namespace
}  // namespace prof
