// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of folders given as traces.
#include "libprof/store/read/trace_paths.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "libprof/store/write/trace_writer.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {
namespace {

namespace fs = std::filesystem;

class TracePaths : public testing::Test {
 protected:
  TracePaths() {
    std::string name = (fs::temp_directory_path() / "prof_traces_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TracePaths() override { fs::remove_all(folder_); }
  std::string trace(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    EXPECT_TRUE(TraceWriter::create(folder_ / name));
    return folder_ / name;
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
};

TEST_F(TracePaths, AFolderIsTheTracesInItInTheOrderOfTheirNumbers) {
  const std::vector<std::string> expected = {trace("rank2.db"), trace("rank10.db"),
                                             trace("trace.of.another.name")};
  trace("below/rank3.db");
  file("notes.txt", "not a trace");
  file("other.sqlite", "not a trace");
  EXPECT_EQ(traces_in(std::vector<std::string>{folder_}), expected);
  EXPECT_EQ(traces_in(std::vector<std::string>{at("rank10.db"), at("below")}),
            (std::vector<std::string>{at("rank10.db"), at("below/rank3.db")}));
}

TEST_F(TracePaths, WhatMayBeABrokenTraceIsToldWhenItIsOpened) {
  const std::string whole = trace("a.db");
  const std::string empty = file("b.db", "");
  std::string header("SQLite format 3\0", 16);
  header.resize(100);
  file("history.db", header);  // another program's
  EXPECT_EQ(traces_in(std::vector<std::string>{folder_}), (std::vector<std::string>{whole, empty}));
}

TEST_F(TracePaths, WithoutATraceTheFolderStays) {
  const std::vector<std::string> paths = {folder_, at("missing"), at("missing.db")};
  EXPECT_EQ(traces_in(paths), paths);
}

TEST_F(TracePaths, FoldersAreTheSidesOfAComparison) {
  const std::vector<std::string> all = {trace("old/0.db"), trace("old/1.db"), trace("new/0.db")};
  const std::string before = at("old"), after = at("new");
  Registry registry;
  register_reports(registry);
  const auto parsed = [&](std::vector<const char*> words) {
    words.insert(words.begin(), "prof-report");
    return parse_options(static_cast<int>(words.size()), words.data(), registry);
  };
  const auto two = parsed({"-r", "diff", before.c_str(), after.c_str()});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->traces, all);
  EXPECT_EQ(two->base_traces, 2U);
  const auto named = parsed({"-r", "diff", "--new", after.c_str(), "--base", before.c_str()});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->traces, all);
  const auto both_in_one = parsed({"-r", "diff", before.c_str()});
  ASSERT_TRUE(both_in_one);
  EXPECT_EQ(both_in_one->base_traces, 1U);
}

}  // namespace
}  // namespace prof::reports
