// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/launch_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "libprof/base/output_file.hpp"
#include "libprof/control/expected_trace.hpp"
#include "tests/support/own_files.hpp"
#include "tools/run/options.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
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
  EXPECT_EQ(output->path, (fs::canonical(folder_) / "trace.db").string());
  EXPECT_FALSE(fs::exists(output->path));
}

TEST_F(LaunchPlan, AnExistingTraceIsKeptUnlessForced) {
  const fs::path path = folder_ / "trace.db";
  std::ofstream(path) << start_of_trace();
  std::ofstream(path.string() + "-journal") << start_of_journal();
  const auto refused = prepare_output(path.string(), false);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_line(), HasSubstr("trace.db: exists; replace it with --force"));
  EXPECT_TRUE(fs::exists(path));
  const auto forced = prepare_output(path.string(), true);
  ASSERT_TRUE(forced.ok());
  EXPECT_TRUE(fs::exists(path)) << "until there is a new one";
  EXPECT_EQ(forced->old, fingerprint(path.string()));
  EXPECT_FALSE(was_written({forced->path, forced->old, 0}));
  fs::remove(path);
  EXPECT_FALSE(was_written({forced->path, forced->old, 0}));
  touch(path);
  EXPECT_TRUE(was_written({forced->path, forced->old, 0}));
}

TEST_F(LaunchPlan, AFileThatIsNoTraceIsKeptEvenIfForced) {
  const fs::path path = folder_ / "results.db";
  touch(path);
  EXPECT_FALSE(prepare_output(path.string(), true).ok());
  EXPECT_TRUE(fs::exists(path));
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

TEST_F(LaunchPlan, TheFileOfTheFirstWindowIsLookedAt) {
  touch(folder_ / "t-1.db");
  touch(folder_ / "u%-1.db");
  for (const char* name : {"t-%n.db", "u%%-%n.db"}) {
    const auto refused = prepare_output((folder_ / name).string(), false);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().to_line(), HasSubstr("-1.db: exists; replace it with --force"));
    const auto forced = prepare_output((folder_ / name).string(), true);
    ASSERT_TRUE(forced.ok());
    EXPECT_TRUE(has_fingerprint((folder_ / "t-1.db").string(), forced->old)) << "of an earlier run";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    touch(folder_ / "t-2.db");
    EXPECT_FALSE(has_fingerprint((folder_ / "t-2.db").string(), forced->old)) << "of this one";
  }
  EXPECT_TRUE(prepare_output((folder_ / "v-%n.db").string(), false).ok());
  EXPECT_TRUE(prepare_output((folder_ / "t-%n-%p.db").string(), false).ok());
}

TEST_F(LaunchPlan, PlaceholdersAreLeftToTheCollector) {
  const auto output = prepare_output((folder_ / "t-%p.db").string(), false);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->path, (folder_ / "t-%p.db").string());
  EXPECT_FALSE(was_written({output->path, output->old, 0}));
  touch(folder_ / "t-12x.txt");
  EXPECT_FALSE(was_written({output->path, output->old, 0}));
  touch(folder_ / "t-12.db");
  EXPECT_TRUE(was_written({output->path, output->old, 0}));
  EXPECT_FALSE(was_written({output->path, output->old, std::int64_t{1} << 62}))
      << "an earlier run's";
}

TEST_F(LaunchPlan, TheCollectorIsFoundInTheBuildTreeWhereInstalledAndWhereToldOnly) {
  fs::create_directories(folder_ / "bin");
  fs::create_directories(folder_ / "lib");
  const std::string own = (folder_ / "bin" / "prof-run").string();
  EXPECT_FALSE(find_collector(own, "").ok());
  for (const char* where : {"lib", "libexec/prof", "lib64/prof", "lib/prof"}) {
    fs::create_directories(folder_ / where);
    touch(folder_ / where / "libprof_inject.so");
    const auto found = find_collector(own, "");
    ASSERT_TRUE(found.ok()) << where;
    EXPECT_EQ(*found, (folder_ / where / "libprof_inject.so").string());
  }
  EXPECT_FALSE(find_collector(own, (folder_ / "other.so").string()).ok());
  fs::create_directory(folder_ / "$LIB");
  touch(folder_ / "$LIB" / "c.so");
  const auto refused = find_collector(own, (folder_ / "$LIB" / "c.so").string());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_line(), HasSubstr("a dollar sign in its name"));
}

TEST_F(LaunchPlan, VariablesCarryWhatWasAskedAndKeepAnEarlierPreload) {
  RunOptions options;
  EXPECT_THAT(variables_for(options, "/c.so", {"/o.db", ""}, {}, "1-2", {}),
              UnorderedElementsAre(Pair("LD_PRELOAD", "/c.so"), Pair("PROF_OUTPUT", "/o.db"),
                                   Pair("ASAN_OPTIONS", "verify_asan_link_order=0"),
                                   Pair("PROF_RUN_ID", "1-2")));
  options.api = "all";
  options.trace = "no-device";
  options.graph_trace = "graph";
  options.quiet = true;
  EXPECT_THAT(
      variables_for(options, "/c.so", {"/o.db", "1.2.3.4"}, {"/s", "5.6.7.8"}, "1-2",
                    {.ld_preload = "/a.so:/b.so", .asan_options = "detect_leaks=0"}),
      UnorderedElementsAre(Pair("LD_PRELOAD", "/c.so:/a.so:/b.so"), Pair("PROF_OUTPUT", "/o.db"),
                           Pair("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"),
                           Pair("PROF_RUN_ID", "1-2"), Pair("PROF_STREAM", "/s"),
                           Pair("PROF_REPLACE", "1.2.3.4"), Pair("PROF_REPLACE_STREAM", "5.6.7.8"),
                           Pair("PROF_API", "all"), Pair("PROF_TRACE", "no-device"),
                           Pair("PROF_QUIET", "1"), Pair("PROF_GRAPH_TRACE", "graph")));
}

TEST_F(LaunchPlan, NcclLoadsAPluginBesideTheCollector) {
  const std::string collector = (folder_ / "c.so").string();
  const auto missing = find_nccl_plugin(collector);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().to_line(), HasSubstr("libprof_nccl.so is not beside the collector"));
  touch(folder_ / "libprof_nccl.so");
  RunOptions options;
  EXPECT_THAT(variables_for(options, collector, {"/o.db", ""}, {}, "1-2", {}),
              Not(Contains(Key("NCCL_PROFILER_PLUGIN"))));
  const auto found = find_nccl_plugin(collector);
  ASSERT_TRUE(found.ok());
  options.nccl_plugin = *found;
  EXPECT_THAT(variables_for(options, collector, {"/o.db", ""}, {}, "1-2", {}),
              Contains(Pair("NCCL_PROFILER_PLUGIN", (folder_ / "libprof_nccl.so").string())));
  const fs::path far = folder_ / std::string(250, 'x');
  fs::create_directory(far);
  touch(far / "libprof_nccl.so");
  const auto refused = find_nccl_plugin((far / "c.so").string());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_line(), HasSubstr("cuts paths of more than 254 bytes"));
}

TEST_F(LaunchPlan, OperatingSystemCallsNeedALibraryBesideTheCollector) {
  const std::string collector = (folder_ / "c.so").string();
  const auto missing = find_interposer(collector, "osrt");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().to_line(), HasSubstr("libprof_osrt.so is not beside the collector"));
  touch(folder_ / "libprof_osrt.so");
  const auto found = find_interposer(collector, "osrt");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, (folder_ / "libprof_osrt.so").string());
  fs::create_directory(folder_ / "a b");
  touch(folder_ / "a b" / "libprof_osrt.so");
  const auto refused = find_interposer((folder_ / "a b" / "c.so").string(), "osrt");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_line(), HasSubstr("a folder with a blank or a colon"));
  RunOptions options;
  options.interposers = {"/o.so"};
  const auto preload = [&](const char* outer) {
    const Variables variables =
        variables_for(options, "/c.so", {"/o.db", ""}, {}, "1-2", {.ld_preload = outer});
    return std::ranges::find(variables, "LD_PRELOAD", &Variables::value_type::first)->second;
  };
  EXPECT_EQ(preload(""), "/o.so:/c.so");
  EXPECT_EQ(preload("/a.so"), "/o.so:/c.so:/a.so");
}

TEST_F(LaunchPlan, PythonFindsOurPackagesAfterTheProgramsOwn) {
  const fs::path program = folder_ / "bin" / "prof-run";
  EXPECT_EQ(find_python_packages(program.string()), "");
  const fs::path packages = folder_ / "share/prof/python";
  fs::create_directories(packages / "prof_torch");
  touch(packages / "prof_torch" / "__init__.py");
  EXPECT_EQ(find_python_packages(program.string()), packages.string());
  const auto path = [](const char* outer) {
    const Variables variables = variables_for({}, "/c.so", {"/o.db", ""}, {}, "1-2",
                                              {.python_path = outer}, "/share/prof/python");
    return std::ranges::find(variables, "PYTHONPATH", &Variables::value_type::first)->second;
  };
  EXPECT_EQ(path(""), "/share/prof/python");
  EXPECT_EQ(path("/own:/other"), "/own:/other:/share/prof/python");
}

TEST_F(LaunchPlan, ACollectorThatCannotBePreloadedIsLoadedByTheDriver) {
  for (const char* path : {"/my libs/c.so", "/a:b/c.so"}) {
    EXPECT_THAT(
        variables_for({}, path, {"/o.db", ""}, {}, "1-2", {.ld_preload = "/a.so"}),
        UnorderedElementsAre(Pair("CUDA_INJECTION64_PATH", path), Pair("PROF_OUTPUT", "/o.db"),
                             Pair("NVTX_INJECTION64_PATH", path), Pair("PROF_RUN_ID", "1-2")));
  }
}

TEST_F(LaunchPlan, AnotherToolInTheDriverIsTold) {
  const std::string own = (folder_ / "c.so").string();
  touch(own);
  EXPECT_TRUE(check_injection("", own).ok());
  EXPECT_TRUE(check_injection((folder_ / "." / "c.so").string(), own).ok());
  EXPECT_THAT(check_injection("/opt/other/tool.so", own).error().to_line(),
              HasSubstr("CUDA_INJECTION64_PATH=/opt/other/tool.so: is set"));
}

TEST_F(LaunchPlan, WindowsThatAreNotUnderstoodAreTold) {
  EXPECT_TRUE(check_windows({}, "steps:1\n").ok());
  EXPECT_THAT(check_windows({}, "steps:x").error().to_line(),
              HasSubstr("PROF_CAPTURE: steps:x: not understood"));
  RunOptions own;
  own.capture = {"steps:1"};
  EXPECT_TRUE(check_windows(own, "steps:x").ok()) << "the variable is replaced";
}

TEST_F(LaunchPlan, AFileThatIsBeingWrittenIsNotReplaced) {
  const std::string path = (folder_ / "trace.db").string();
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    auto file = OutputFile::create(path, Existing::kRefuse);
    if (!file || write(told[1], "x", 1) != 1) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(told[0], &byte, 1), 1);
  for (const bool force : {false, true}) {
    const auto refused = prepare_output(path, force);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().to_line(),
                HasSubstr("trace.db: is being written by process " + std::to_string(writer)));
  }
  EXPECT_TRUE(fs::exists(path));
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_TRUE(prepare_output(path, true).ok());
}

TEST_F(LaunchPlan, ANameThatIsTooLongIsTold) {
  const auto refused = prepare_output((folder_ / std::string(250, 'x')).string(), false);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_line(), HasSubstr("the name is too long: at most 247 bytes"));
}

TEST_F(LaunchPlan, AFoldersNameHasNoPlaceholders) {
  const fs::path folder = folder_ / "100%p";
  fs::create_directory(folder);
  touch(folder / "trace.db");
  EXPECT_FALSE(prepare_output((folder / "trace.db").string(), false).ok());
}

}  // namespace
}  // namespace prof::tools
