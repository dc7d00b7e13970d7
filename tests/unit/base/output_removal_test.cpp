// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/output_removal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libprof/base/output_file.hpp"
#include "libprof/base/output_lock.hpp"
#include "tests/support/forced_writers.hpp"
#include "tests/support/own_files.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

class OutputRemovalTest : public testing::Test {
 protected:
  TempFolder temporary_;
  fs::path folder_ = temporary_.path();
  std::string path_ = folder_ / "out";
};

TEST_F(OutputRemovalTest, AFileThatIsBeingWrittenStays) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto file = OutputFile::create(path_, Existing::kRefuse);
    if (!file || write(told[1], "x", 1) != 1) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(told[0], &byte, 1), 1);
  EXPECT_EQ(writer_of(path_), child);
  const Status refused = remove_replaceable(path_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().to_line(), path_ + ": is being written by process " +
                                           std::to_string(child) +
                                           "; wait for it to finish, or name another output file");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(writer_of(path_), 0);
  EXPECT_TRUE(remove_replaceable(path_).ok());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(OutputRemovalTest, TheJournalGoesWithItsFile) {
  write_file(path_, start_of_trace());
  write_file(path_ + "-journal", start_of_journal());
  EXPECT_TRUE(remove_replaceable(path_).ok());
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(remove_replaceable(path_).ok()) << "nothing there is fine";
}

TEST_F(OutputRemovalTest, OnlyFilesOfOursAreReplaced) {
  std::string other_database = start_of_trace();
  other_database.replace(68, 4, "abcd");
  for (const std::string& precious : {std::string("print('hours of work')\n"),
                                      std::string("\x7f"
                                                  "ELF"),
                                      other_database, start_of_trace().substr(0, 60)}) {
    write_file(path_, precious);
    const Status refused = remove_replaceable(path_);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().what, "exists and is not a trace; only a trace is replaced");
    EXPECT_FALSE(check_replaceable(path_).ok());
    EXPECT_FALSE(remove_own_output(path_, identify(path_)));
    EXPECT_EQ(fs::file_size(path_), precious.size());
  }
  for (const std::string& ours :
       {std::string(), start_of_trace(), std::string(kStreamStart) + ",\"version\":1}\n"}) {
    write_file(path_, ours);
    EXPECT_TRUE(check_replaceable(path_).ok());
    EXPECT_TRUE(fs::exists(path_));
    EXPECT_TRUE(remove_replaceable(path_).ok());
    EXPECT_FALSE(fs::exists(path_));
  }
}

TEST_F(OutputRemovalTest, ALinkIsJudgedByWhereItLeads) {
  const std::string target = folder_ / "target";
  fs::create_symlink(target, path_);
  write_file(target, "precious");
  EXPECT_FALSE(remove_replaceable(path_).ok());
  EXPECT_TRUE(fs::is_symlink(path_));
  write_file(target, start_of_trace());
  EXPECT_TRUE(remove_replaceable(path_).ok());
  EXPECT_FALSE(fs::is_symlink(path_));
  EXPECT_TRUE(fs::exists(target)) << "never the target";
}

TEST_F(OutputRemovalTest, AJournalOfAnotherKindStays) {
  write_file(path_, start_of_trace());
  write_file(path_ + "-journal", "my diary");
  EXPECT_FALSE(remove_replaceable(path_).ok());
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_TRUE(fs::exists(path_ + "-journal"));
}

TEST_F(OutputRemovalTest, AFileThatTookTheNameStays) {
  write_file(path_, start_of_trace());
  const FileIdentity own = identify(path_);
  const std::string moved = folder_ / "moved";
  fs::rename(path_, moved);
  EXPECT_FALSE(remove_own_output(path_, own)) << "nothing is there";
  write_file(path_, start_of_trace());
  EXPECT_FALSE(remove_own_output(path_, own)) << "another trace";
  fs::rename(moved, path_);
  EXPECT_TRUE(remove_own_output(path_, own));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputRemovalTest, OpeningAndClosingDoesNotDropTheLock) {
  auto file = OutputFile::create(path_, Existing::kRefuse);
  ASSERT_TRUE(file.ok());
  close(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(writer_of(path_), getpid());
  const pid_t child = fork();
  if (child == 0) _exit(remove_replaceable(path_).ok() ? 1 : 0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(OutputRemovalTest, WhatIsNoFileStays) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(remove_replaceable(path_).ok());
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(OutputRemovalTest, AFileThatMayOnlyBeReadIsReplacedToo) {
  write_file(path_, start_of_trace());
  chmod(path_.c_str(), 0400);
  EXPECT_TRUE(remove_replaceable(path_).ok());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(OutputRemovalTest, AnUnfinishedFileIsRemovedWithItsJournal) {
  write_file(path_, start_of_trace());
  write_file(path_ + "-journal", start_of_journal());
  const int own = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  remove_unfinished_output(path_, own);
  close(own);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputRemovalTest, AnUnfinishedFileOfAnotherStays) {
  std::ofstream(path_) << "begun";
  const int own = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  fs::remove(path_);
  remove_unfinished_output(path_, own);
  std::ofstream(path_) << "another's";
  remove_unfinished_output(path_, own);
  close(own);
  EXPECT_TRUE(fs::exists(path_)) << "it has the name now";
  const int its = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_TRUE(lock_output(its));
  const pid_t child = fork();
  if (child == 0) {
    remove_unfinished_output(path_, open(path_.c_str(), O_RDWR | O_CLOEXEC));
    _exit(fs::exists(path_) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "it is being written";
  close(its);
}

TEST_F(OutputRemovalTest, ForcedWritersDoNotTakeEachOthersFile) {
  expect_each_keeps_its_file(4, 400, [this] {
    auto file = OutputFile::create(path_, Existing::kReplace);
    if (!file) return Attempt::kRefused;
    const bool is_kept = file->write(kStreamStart).ok() && file->in_place();
    return is_kept ? Attempt::kKept : Attempt::kTakenAway;
  });
}

}  // namespace
}  // namespace prof
