// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/metrics_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utime.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace prof::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;

class Metrics : public testing::Test {
 protected:
  Metrics() {
    std::string name = (fs::temp_directory_path() / "prof_metrics_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Metrics() override { fs::remove_all(folder_); }
  std::string make(const std::string& name, std::time_t changed_s) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << name;
    const utimbuf times{changed_s, changed_s};
    utime(path.c_str(), &times);
    return path;
  }
  std::vector<std::string> last(const std::string& traces, ChangedFiles existing = {}) {
    return last_windows({.file = "",
                         .traces = (folder_ / traces).string(),
                         .reporter = "",
                         .existing = std::move(existing)});
  }

  fs::path folder_;
};

TEST_F(Metrics, OfEachProcessTheLastWindowCounts) {
  make("t-1.db", 10);
  const std::string own = make("t-12.db", 20);
  const std::string other = make("t-2.4711.db", 15);
  make("t-1.4711.db", 12);
  make("t-13.db.4711.part", 30);
  make("t-x.db", 30);
  EXPECT_THAT(last("t-%n.db"), UnorderedElementsAre(own, other));
}

TEST_F(Metrics, ProcessesAreToldApartByWhatTheirNamesSay) {
  make("a(1)-7-1.db", 10);
  const std::string first = make("a(1)-7-2.db", 20);
  const std::string second = make("a(1)-8-1.db", 10);
  EXPECT_THAT(last("a(1)-%p-%n.db"), ElementsAre(first, second));
  EXPECT_THAT(last("b-%n.db"), IsEmpty());
}

TEST_F(Metrics, TracesOfOtherRunsDoNotCount) {
  const std::string old = make("t-1.db", 10);
  const ChangedFiles existing = {{old, std::int64_t{10} * 1'000'000'000}};
  EXPECT_THAT(last("t-%n.db", existing), IsEmpty());
  make("t-1.db", 11);
  EXPECT_THAT(last("t-%n.db", existing), ElementsAre(old));
}

TEST_F(Metrics, ProcessesThatHaveEndedDoNotCount) {
  make("t-1.4711.db", 10);
  make("t-1.db", 20);
  make("t-2.db", 30);
  const std::string late = make("t-1.4712.db", 25);
  EXPECT_THAT(last("t-%n.db"), testing::SizeIs(3)) << "its next window may come";
  const std::string newest = make("t-3.db", 40);
  EXPECT_THAT(last("t-%n.db"), UnorderedElementsAre(newest, late));
}

TEST_F(Metrics, NamesMayHaveNoExtension) {
  const std::string own = make("t-1", 10), other = make("t-1.4711", 10);
  EXPECT_THAT(last("t-%n"), UnorderedElementsAre(own, other));
}

TEST_F(Metrics, WhatCannotBeWrittenIsToldBefore) {
  const std::string traces = (folder_ / "t-%n.db").string();
  const std::string own = (folder_ / "prof-run").string();
  const std::string file = (folder_ / "m.prom").string();
  EXPECT_THAT(plan_metrics(folder_.string(), traces, own).error().to_line(),
              HasSubstr("is a folder"));
  EXPECT_THAT(plan_metrics("/no/such/m.prom", traces, own).error().to_line(),
              HasSubstr("/no/such/m.prom"));
  EXPECT_THAT(plan_metrics(file, traces, own).error().to_line(), HasSubstr("prof-report"));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_THAT(plan_metrics((folder_ / "t-7.db").string(), traces, own).error().to_line(),
              HasSubstr("may be the name of a window's trace"));
  EXPECT_THAT(plan_metrics("/dev/null", traces, own).error().to_line(),
              HasSubstr("is no regular file"));
}

}  // namespace
}  // namespace prof::tools
