// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/launch_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tools/run/child.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

class LaunchPlan : public testing::Test {
 protected:
  LaunchPlan() {
    std::string name = (fs::temp_directory_path() / "prof_run_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LaunchPlan() override { fs::remove_all(folder_); }
  void touch(const fs::path& path) { std::ofstream(path) << "old"; }
  fs::path folder_;
};

TEST_F(LaunchPlan, DefaultOutputNamesTheProgram) {
  EXPECT_EQ(default_output("./bin/app"), "prof-app.db");
  EXPECT_EQ(default_output("python3"), "prof-python3.db");
}

TEST_F(LaunchPlan, AFreeNameInAWritableFolderIsMadeAbsolute) {
  fs::current_path(folder_);
  const auto output = prepare_output("trace.db", false);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(*output, (fs::canonical(folder_) / "trace.db").string());
  EXPECT_FALSE(fs::exists(*output));
}

TEST_F(LaunchPlan, AnExistingFileIsKeptUnlessForced) {
  const fs::path path = folder_ / "trace.db";
  touch(path);
  touch(path.string() + "-journal");
  const auto refused = prepare_output(path.string(), false);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_line(), HasSubstr("trace.db: exists; replace it with --force"));
  EXPECT_TRUE(fs::exists(path));
  EXPECT_TRUE(prepare_output(path.string(), true).ok());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(path.string() + "-journal"));
}

TEST_F(LaunchPlan, LinksAndFoldersAreNeverReplaced) {
  const fs::path target = folder_ / "precious";
  touch(target);
  fs::create_symlink(target, folder_ / "link.db");
  EXPECT_FALSE(prepare_output((folder_ / "link.db").string(), true).ok());
  EXPECT_TRUE(fs::exists(target));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.db"));
  fs::create_directory(folder_ / "sub.db");
  EXPECT_FALSE(prepare_output((folder_ / "sub.db").string(), true).ok());
  EXPECT_FALSE(prepare_output((folder_ / "").string(), true).ok());
}

TEST_F(LaunchPlan, AMissingFolderIsNamed) {
  const auto output = prepare_output((folder_ / "none" / "trace.db").string(), false);
  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().to_line(),
              HasSubstr("trace.db: there is no folder " + (folder_ / "none").string()));
}

TEST_F(LaunchPlan, PlaceholdersAreLeftToTheCollector) {
  const auto output = prepare_output((folder_ / "t-%p.db").string(), false);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(*output, (folder_ / "t-%p.db").string());
}

TEST_F(LaunchPlan, TheCollectorIsFoundInTheBuildTreeAndWhereToldOnly) {
  fs::create_directories(folder_ / "bin");
  fs::create_directories(folder_ / "lib");
  const std::string own = (folder_ / "bin" / "prof-run").string();
  EXPECT_FALSE(find_collector(own, "").ok());
  touch(folder_ / "lib" / "libprof_inject.so");
  const auto found = find_collector(own, "");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, (folder_ / "lib" / "libprof_inject.so").string());
  EXPECT_FALSE(find_collector(own, (folder_ / "other.so").string()).ok());
}

TEST_F(LaunchPlan, VariablesCarryWhatWasAskedAndKeepAnEarlierPreload) {
  RunOptions options;
  EXPECT_THAT(variables_for(options, "/c.so", "/o.db", "", "1-2", ""),
              UnorderedElementsAre(Pair("LD_PRELOAD", "/c.so"), Pair("PROF_OUTPUT", "/o.db"),
                                   Pair("PROF_RUN_ID", "1-2")));
  options.api = "all";
  options.quiet = true;
  EXPECT_THAT(
      variables_for(options, "/c.so", "/o.db", "/s", "1-2", "/a.so:/b.so"),
      UnorderedElementsAre(Pair("LD_PRELOAD", "/c.so:/a.so:/b.so"), Pair("PROF_OUTPUT", "/o.db"),
                           Pair("PROF_RUN_ID", "1-2"), Pair("PROF_STREAM", "/s"),
                           Pair("PROF_API", "all"), Pair("PROF_QUIET", "1")));
}

TEST(Child, ItsEndIsPassedOn) {
  EXPECT_EQ(run_child({"/bin/sh", "-c", "exit 41"}, {}).exit_code, 41);
  const ChildEnd killed = run_child({"/bin/sh", "-c", "kill -KILL $$"}, {});
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  EXPECT_EQ(killed.signal, SIGKILL);
}

TEST(Child, VariablesReachIt) {
  EXPECT_EQ(run_child({"/bin/sh", "-c", "test \"$PROF_CHILD_TEST\" = 'a b'"},
                      {{"PROF_CHILD_TEST", "a b"}})
                .exit_code,
            0);
  EXPECT_EQ(getenv("PROF_CHILD_TEST"), nullptr);
}

TEST(Child, WhatCannotStartIsTold) {
  const ChildEnd missing = run_child({"/no/such/program"}, {});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_EQ(missing.start_error, ENOENT);
  EXPECT_EQ(run_child({"/"}, {}).exit_code, 126);
}

TEST(Child, SignalsAreSentOn) {
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGTERM);
  });
  const ChildEnd end =
      run_child({"/bin/sh", "-c",
                 "trap 'exit 9' TERM; i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done"},
                {});
  sender.join();
  EXPECT_EQ(end.exit_code, 9);
}

}  // namespace
}  // namespace prof::tools
