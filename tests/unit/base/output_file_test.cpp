// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libprof/base/clock.hpp"
#include "libprof/base/own_descriptors.hpp"
#include "tests/support/own_files.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_ / name; }

  TempFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(OutputFileTest, IsPrivateAndHoldsWhatWasWritten) {
  {
    Result<OutputFile> file = OutputFile::create(path("a"), Existing::kRefuse);
    ASSERT_TRUE(file.ok()) << file.error().to_line();
    EXPECT_TRUE(file->write("hello ").ok());
    EXPECT_TRUE(file->write("world").ok());
  }
  EXPECT_EQ(read_file(path("a")), "hello world");
  struct stat info {};
  ASSERT_EQ(stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(OutputFileTest, IsWritableWhateverTheUmask) {
  const mode_t before = umask(0777);
  const Result<int> descriptor = create_output_file(path("a"), Existing::kRefuse);
  umask(before);
  ASSERT_TRUE(descriptor.ok());
  close(*descriptor);
  struct stat info {};
  ASSERT_EQ(stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(OutputFileTest, OlderFilesAreKnownByWhenTheyChanged) {
  std::ofstream(path("a")) << "old";
  const std::int64_t now = clock_ns(CLOCK_REALTIME);
  EXPECT_TRUE(has_fingerprint(path("a"), fingerprint_of_older(now + 1'000'000'000)));
  EXPECT_FALSE(has_fingerprint(path("a"), fingerprint_of_older(now - 1'000'000'000)));
  EXPECT_TRUE(has_fingerprint(path("a"), fingerprint(path("a"))));
  EXPECT_FALSE(has_fingerprint(path("a"), ""));
  EXPECT_FALSE(has_fingerprint(path("b"), fingerprint_of_older(now)));
}

TEST_F(OutputFileTest, ClosesOnExec) {
  const Result<int> descriptor = create_output_file(path("a"), Existing::kRefuse);
  ASSERT_TRUE(descriptor.ok());
  EXPECT_NE(fcntl(*descriptor, F_GETFD) & FD_CLOEXEC, 0);
  close(*descriptor);
}

TEST_F(OutputFileTest, RefusesAnExistingFileUnlessForced) {
  std::ofstream(path("a")) << "precious";
  const auto refused = OutputFile::create(path("a"), Existing::kRefuse);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_line().find("exists already"), std::string::npos);
  EXPECT_EQ(read_file(path("a")), "precious");
  EXPECT_FALSE(OutputFile::create(path("a"), Existing::kReplace).ok()) << "it is none of ours";
  EXPECT_EQ(read_file(path("a")), "precious");
  std::ofstream(path("a"), std::ios::binary) << start_of_trace();
  EXPECT_TRUE(OutputFile::create(path("a"), Existing::kReplace).ok());
  EXPECT_EQ(read_file(path("a")), "");
}

TEST_F(OutputFileTest, NeverWritesThroughASymbolicLink) {
  std::ofstream(path("target")) << start_of_trace();
  fs::create_symlink(path("target"), path("link"));
  EXPECT_FALSE(OutputFile::create(path("link"), Existing::kRefuse).ok());
  fs::create_symlink(path("nowhere"), path("dangling"));
  EXPECT_FALSE(OutputFile::create(path("dangling"), Existing::kRefuse).ok());
  EXPECT_FALSE(fs::exists(path("nowhere")));
  ASSERT_TRUE(OutputFile::create(path("link"), Existing::kReplace).ok());
  EXPECT_FALSE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("target")), start_of_trace());
}

TEST_F(OutputFileTest, NeverReplacesAFolder) {
  fs::create_directory(path("folder"));
  EXPECT_FALSE(OutputFile::create(path("folder"), Existing::kReplace).ok());
  EXPECT_TRUE(fs::is_directory(path("folder")));
}

TEST_F(OutputFileTest, TellsWhereAFolderIsMissing) {
  const auto file = OutputFile::create(path("no/such/file"), Existing::kRefuse);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().to_line().find("no/such/file"), std::string::npos);
  EXPECT_FALSE(file.error().hint.empty());
  EXPECT_FALSE(resolve_folder(path("no/such/file")).ok());
  EXPECT_FALSE(resolve_folder(path("")).ok());
}

TEST_F(OutputFileTest, LeavesADescriptorAloneThatIsNoLongerItsOwn) {
  const int before = set_apart(open("/dev/null", O_RDONLY | O_CLOEXEC));
  close(before);  // The number that the output file will get.
  {
    Result<OutputFile> file = OutputFile::create(path("a"), Existing::kRefuse);
    ASSERT_TRUE(file.ok());
    ASSERT_EQ(identify(before), identify(path("a")));
    const int others = open(path("others").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(dup2(others, before), before);
    close(others);
    EXPECT_FALSE(file->write("into the wrong file").ok());
  }
  EXPECT_NE(fcntl(before, F_GETFD), -1) << "the program's descriptor was closed";
  EXPECT_EQ(read_file(path("others")), "");
  close(before);
}

TEST(OutputNames, OtherProcessesGetTheirIdBeforeTheExtension) {
  EXPECT_EQ(name_of_other_process("/d.x/trace.db", 12, 1), "/d.x/trace.12.db");
  EXPECT_EQ(name_of_other_process("/d.x/trace", 12, 1), "/d.x/trace.12");
  EXPECT_EQ(name_of_other_process("/d.x/.hidden", 12, 1), "/d.x/.hidden.12");
  EXPECT_EQ(name_of_other_process("trace.db", 12, 3), "trace.12.3.db");
}

}  // namespace
}  // namespace prof
