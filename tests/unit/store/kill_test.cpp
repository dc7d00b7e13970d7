// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A capture that is killed, and one that is still running: what was committed can be read.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/support/row_cursors.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

/// A child that writes a trace: 1000 kernels committed, then launches that are not, then waits.
class Capture {
 public:
  explicit Capture(const std::string& path, bool keep_committing = false) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    child_ = fork();
    if (child_ == 0) {
      auto writer = TraceWriter::create(path);
      sample::Options options;
      sample::feed(**writer, options);
      for (std::uint64_t i = 0; i < 3000; ++i) (*writer)->on(sample::launch(options, 5'000 + i));
      if (write(ready[1], "x", 1) != 1) _exit(1);
      // Paced and bounded: who reads copies the file each time, and must not be outrun for ever.
      for (std::uint64_t i = 3000; keep_committing && i < 50'000; ++i) {
        (*writer)->on(sample::launch(options, 5'000 + i));
        (*writer)->on(sample::kernel(options, 5'000 + i));
        if (i % 50 != 0) continue;
        (*writer)->commit();
        usleep(300);
      }
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { end(); }

  void end() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

std::uint64_t leftovers() {
  std::uint64_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    const std::string name = entry.path().filename();
    if (name.size() == 11 && name.starts_with("prof-")) ++count;
  }
  return count;
}

void expect_committed(const std::string& path, bool still_written) {
  const std::uint64_t before = leftovers();
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.error().to_line();
  EXPECT_EQ(leftovers(), before) << "a temporary copy was left behind";
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1000u);
  EXPECT_EQ((*reader)->path(), path);
  const auto cursor = (*reader)->gpu_work(TraceReader::Work::kKernels);
  std::uint64_t count = 0;
  while (const GpuRow* const row = cursor->next()) {
    EXPECT_EQ(row->correlation, ++count);
    EXPECT_TRUE(row->launched);
  }
  EXPECT_TRUE(cursor->status().ok());
  EXPECT_EQ(count, 1000u);
  const CaptureEnd end = (*reader)->capture_end();
  EXPECT_EQ(end.how, "");
  EXPECT_EQ(end.still_written, still_written);
  ASSERT_FALSE((*reader)->losses().empty());
  EXPECT_EQ((*reader)->losses()[0].what, "killed");
}

TEST(KillTest, WhatWasCommittedIsThere) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  Capture(path).end();
  expect_committed(path, false);
  expect_committed(path, false);
}

TEST(KillTest, LaunchesWithoutARecordAreCounted) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  {
    auto writer = TraceWriter::create(path);
    sample::Options options;
    sample::feed(**writer, options);
    for (std::uint64_t i = 0; i < 7; ++i) (*writer)->on(sample::launch(options, 5'000 + i));
    ApiRecord failed = sample::launch(options, 6'000);
    failed.status = 1;
    (*writer)->on(failed);
  }
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->capture_end().launches_without_record, 7u);
  ASSERT_EQ((*reader)->losses().size(), 2u);
  EXPECT_EQ((*reader)->losses()[1].what, "launch_without_record");
  EXPECT_EQ((*reader)->losses()[1].count, 7u);
}

TEST(KillTest, InAFolderThatCannotBeWritten) {
  if (getuid() == 0) {
    // Root may write everywhere: read as somebody else.
    const TempFolder folder;
    const std::string path = folder.path("t.db");
    Capture(path).end();
    ASSERT_TRUE(fs::exists(path + "-journal"));
    fs::permissions(path, fs::perms(0444));
    fs::permissions(path + "-journal", fs::perms(0444));
    fs::permissions(folder.path(), fs::perms(0555));
    const std::string content = read_file(path);
    const pid_t child = fork();
    if (child == 0) {
      if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
      expect_committed(path, false);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_file(path), content);
    return;
  }
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  Capture(path).end();
  fs::permissions(folder.path(), fs::perms(0555));
  expect_committed(path, false);
  fs::permissions(folder.path(), fs::perms(0755));
}

TEST(KillTest, AFileStillBeingWrittenCanBeRead) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  Capture capture(path);
  expect_committed(path, true);
}

TEST(KillTest, AFileThatGrowsIsReadConsistently) {
  const TempFolder folder;
  const std::string path = folder.path("t.db");
  Capture capture(path, /*keep_committing=*/true);
  int opened = 0;
  for (int round = 0; round < 20; ++round) {
    const auto reader = TraceReader::open(path);
    if (!reader) {
      EXPECT_EQ(reader.error().what, "is being written too fast to be read");
      continue;
    }
    ++opened;
    const auto cursor = (*reader)->gpu_work(TraceReader::Work::kKernels);
    std::uint64_t count = 0;
    while (const GpuRow* const row = cursor->next()) {
      ++count;
      ASSERT_TRUE(row->launched) << row->correlation;
    }
    ASSERT_TRUE(cursor->status().ok()) << cursor->status().error().to_line();
    EXPECT_GE(count, 1000u);
  }
  EXPECT_GT(opened, 0);
}

TEST(KillTest, KilledInTheMiddleOfItsCommits) {
  for (int round = 0; round < 8; ++round) {
    const TempFolder folder;
    const std::string path = folder.path("t.db");
    Capture capture(path, /*keep_committing=*/true);
    usleep(static_cast<useconds_t>(1000 * (1 + round * 3)));
    capture.end();
    const auto reader = TraceReader::open(path);
    ASSERT_TRUE(reader.ok()) << reader.error().to_line();
    const auto cursor = (*reader)->gpu_work(TraceReader::Work::kKernels);
    std::uint64_t count = 0;
    while (const GpuRow* const row = cursor->next()) {
      ++count;
      ASSERT_TRUE(row->launched) << row->correlation;
    }
    EXPECT_TRUE(cursor->status().ok());
    EXPECT_GE(count, 1000u);
  }
}

}  // namespace
}  // namespace prof
