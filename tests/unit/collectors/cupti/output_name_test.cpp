// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/output_name.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "libprof/base/output_file.hpp"
#include "libprof/base/output_lock.hpp"
#include "tests/support/own_files.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof::collectors {
namespace {

class OutputNameTest : public testing::Test {
 protected:
  OutputNameTest() { write_file(path_, start_of_trace()); }

  Result<OutputName> create_over_old() {
    const NameRules rules{.old = fingerprint(path_)};
    return create_under_free_name(path_, rules, [](const std::string& path) {
      const Result<int> made = create_output_file(path, Existing::kRefuse);
      if (!made) return Status{made.error()};
      close(*made);
      return Status{};
    });
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
};

TEST_F(OutputNameTest, AnOldTraceIsReplaced) {
  const auto name = create_over_old();
  ASSERT_TRUE(name.ok()) << name.error().to_line();
  EXPECT_EQ(name->path, path_);
  EXPECT_EQ(read_file(path_), "");
}

// prof-run saw it before its writer had locked it.
TEST_F(OutputNameTest, AFileThatIsBeingWrittenByNowLeavesTheNextName) {
  const int writer = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_TRUE(lock_output(writer));
  const auto name = create_over_old();
  ASSERT_TRUE(name.ok()) << name.error().to_line();
  EXPECT_EQ(name->path, name_of_other_process(path_, getpid(), 1));
  EXPECT_EQ(read_file(path_), start_of_trace());
  close(writer);
}

}  // namespace
}  // namespace prof::collectors
