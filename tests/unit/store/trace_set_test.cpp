// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_set.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class TraceSetTest : public testing::Test {
 protected:
  using Meta = std::map<std::string, std::string>;

  /// A trace that starts at that second of CLOCK_REALTIME. `boot_seconds`: what CLOCK_MONOTONIC
  /// shows then; below 0: the trace has no clock_sync.
  std::string trace(const std::string& name, std::int64_t start_seconds, std::int64_t boot_seconds,
                    const Meta& meta = {}) {
    const std::string path = folder_.path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    auto writer = TraceWriter::create(path, {});
    EXPECT_TRUE(writer.ok()) << writer.error().to_line();
    const std::int64_t start = start_seconds * kSecond;
    (*writer)->on(MetaRecord{"start_realtime_ns", std::to_string(start)});
    for (const auto& [key, value] : meta) (*writer)->on(MetaRecord{key, value});
    // Taken a while after the start.
    if (boot_seconds >= 0) {
      (*writer)->on(ClockSyncRecord{start + 7, boot_seconds * kSecond + 7, 0});
      (*writer)->on(ClockSyncRecord{start + kSecond, (boot_seconds + 90) * kSecond, 0});
    }
    (*writer)->on(MetaRecord{"ended", "stop"});
    return path;
  }

  static Result<TraceSet> open(const std::vector<std::string>& paths) {
    Result<TraceSet> set = TraceSet::open(paths);
    EXPECT_TRUE(set.ok()) << set.error().to_line();
    return set;
  }

  static std::vector<std::string> names(const TraceSet& set) {
    std::vector<std::string> names;
    for (const TraceMember& member : set.members()) names.push_back(member.identity.name);
    return names;
  }

  static std::vector<std::int64_t> offsets(const TraceSet& set) {
    std::vector<std::int64_t> seconds;
    for (const TraceMember& member : set.members()) {
      EXPECT_EQ(member.identity.offset_ns % kSecond, 0);
      seconds.push_back(member.identity.offset_ns / kSecond);
    }
    return seconds;
  }

  TempFolder folder_;
};

using Names = std::vector<std::string>;
using Offsets = std::vector<std::int64_t>;

TEST_F(TraceSetTest, OneTraceIsWhatItSays) {
  const auto set = open({trace("a.db", 100, 5,
                               {{"host", "node1"},
                                {"env.RANK", "3"},
                                {"env.LOCAL_RANK", "1"},
                                {"env.WORLD_SIZE", "8"},
                                {"env.TORCHELASTIC_RUN_ID", "exp"}})});
  ASSERT_EQ(set->size(), 1u);
  const TraceMember& member = set->members()[0];
  EXPECT_EQ(member.reader.start_realtime_ns(), 100 * kSecond);
  EXPECT_EQ(member.identity.name, "a.db");
  EXPECT_EQ(member.identity.rank, 3u);
  EXPECT_EQ(member.identity.local_rank, 1u);
  EXPECT_EQ(member.identity.world_size, 8u);
  EXPECT_EQ(member.identity.host, "node1");
  EXPECT_EQ(member.identity.run, "exp");
  EXPECT_EQ(member.identity.offset_ns, 0);
  EXPECT_TRUE(set->comparable(0, 0));
}

TEST_F(TraceSetTest, WhatATraceDoesNotTellIsAbsent) {
  const auto set = open({trace("a.db", 100, -1)});
  const TraceIdentity& identity = set->members()[0].identity;
  EXPECT_FALSE(identity.rank || identity.local_rank || identity.world_size);
  EXPECT_EQ(identity.host + identity.run, "");
}

TEST_F(TraceSetTest, NamesAreAsLongAsTheyMustBe) {
  const auto set = open({trace("one/x/t.db", 1, 1), trace("two/x/t.db", 1, 1),
                         trace("two/y/t.db", 1, 1), trace("other.db", 1, 1)});
  EXPECT_EQ(names(*set), (Names{"one/x/t.db", "two/x/t.db", "y/t.db", "other.db"}));
}

TEST_F(TraceSetTest, AFileIsGivenOnce) {
  const std::string path = trace("a.db", 1, 1);
  const std::string link = folder_.path("link.db");
  std::filesystem::create_symlink(path, link);
  const auto twice = TraceSet::open(Names{path, path});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().to_line(), path + ": is given twice; name each trace once");
  const auto linked = TraceSet::open(Names{path, link});
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.error().to_line(),
            link + ": is the same file as " + path + "; name each trace once");
}

TEST_F(TraceSetTest, AFileMayBeOnBothOfTwoSides) {
  const std::string a = trace("a.db", 1, 1), b = trace("b.db", 1, 1);
  const auto set = TraceSet::open(Names{a, b, a}, 2);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->members()[2].reader.path(), a);
  EXPECT_FALSE(TraceSet::open(Names{a, a, b}, 2).ok());
  EXPECT_FALSE(TraceSet::open(Names{a, b, b}, 1).ok());
}

TEST_F(TraceSetTest, AnUnreadableFileIsNamed) {
  const auto set = TraceSet::open(Names{trace("a.db", 1, 1), folder_.path("none.db")});
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().to_line(),
            folder_.path("none.db") + ": cannot be opened: No such file or directory");
}

TEST_F(TraceSetTest, OfSeveralFilesAnUnreadableOneIsLeftOut) {
  const std::string empty = folder_.path("empty.db");
  std::ofstream(empty).close();
  const std::string why =
      empty + ": is empty: not a trace, or one whose capture was killed at the start";
  const std::string a = trace("a.db", 1, 1), b = trace("b.db", 1, 1);
  const auto set = TraceSet::open(Names{a, empty, b});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(names(*set), (Names{"a.db", "b.db"}));
  ASSERT_EQ(set->left_out().size(), 1U);
  EXPECT_EQ(set->left_out().front().to_line(), why);
  const auto alone = TraceSet::open(Names{empty});
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().to_line(), why);
  EXPECT_FALSE(TraceSet::open(Names{a, empty}, 1).ok()) << "a side needs all of its traces";
}

TEST_F(TraceSetTest, TracesOfABootAreAlignedByItsMonotonicClock) {
  // Between the captures CLOCK_REALTIME was set back by an hour.
  const Meta meta = {{"host", "node1"}, {"boot_id", "b"}};
  const auto set = open({trace("late.db", 10'000 - 3'600, 60, meta),
                         trace("early.db", 9'960, 20, meta), trace("middle.db", 9'970, 30, meta)});
  EXPECT_EQ(offsets(*set), (Offsets{40, 0, 10}));
  EXPECT_TRUE(set->comparable(0, 1));
}

TEST_F(TraceSetTest, AcrossBootsAndWithoutClocksRealTimeDecides) {
  const auto set = open({trace("a.db", 5'000, 900, {{"host", "node1"}, {"boot_id", "b"}}),
                         trace("b.db", 6'000, 20, {{"host", "node1"}, {"boot_id", "c"}}),
                         trace("no_sync.db", 5'100, -1, {{"host", "node1"}, {"boot_id", "b"}}),
                         trace("no_boot.db", 4'990, 7, {{"host", "node1"}})});
  EXPECT_EQ(offsets(*set), (Offsets{10, 1'010, 110, 0}));
  EXPECT_TRUE(set->comparable(0, 1));
  EXPECT_TRUE(set->comparable(2, 3));
}

TEST_F(TraceSetTest, HostsHaveAnAxisEach) {
  const auto set = open({trace("a0.db", 100, 50, {{"host", "a"}, {"boot_id", "1"}}),
                         trace("b0.db", 200, 50, {{"host", "b"}, {"boot_id", "2"}}),
                         trace("a1.db", 103, 53, {{"host", "a"}, {"boot_id", "1"}}),
                         trace("b1.db", 205, 55, {{"host", "b"}, {"boot_id", "2"}}),
                         trace("unknown0.db", 300, 5), trace("unknown1.db", 400, 5)});
  EXPECT_EQ(offsets(*set), (Offsets{0, 0, 3, 5, 0, 0}));
  EXPECT_TRUE(set->comparable(0, 2));
  EXPECT_TRUE(set->comparable(3, 1));
  EXPECT_FALSE(set->comparable(0, 1));
  EXPECT_FALSE(set->comparable(4, 5)) << "whose host nobody knows";
}

TEST_F(TraceSetTest, ContainersOfAMachineShareItsClocks) {
  const auto set = open({trace("a.db", 100, 50, {{"host", "c1"}, {"boot_id", "1"}}),
                         trace("b.db", 102, 52, {{"host", "c2"}}),
                         trace("c.db", 104, 54, {{"host", "c2"}, {"boot_id", "1"}})});
  EXPECT_EQ(offsets(*set), (Offsets{0, 2, 4}));
  EXPECT_TRUE(set->comparable(0, 1)) << "by way of the third";
}

TEST_F(TraceSetTest, HostsThatTurnOutToBeOneAreMergedWhole) {
  // The last is of the first's host by name and of the second's by boot, and so ties all four.
  const auto set = open({trace("a.db", 100, 50, {{"host", "a"}}),
                         trace("b.db", 102, 52, {{"host", "b"}, {"boot_id", "1"}}),
                         trace("c.db", 104, 54, {{"host", "b"}}),
                         trace("d.db", 106, 56, {{"host", "a"}, {"boot_id", "1"}})});
  EXPECT_EQ(offsets(*set), (Offsets{0, 2, 4, 6}));
  EXPECT_TRUE(set->comparable(1, 2));
}

TEST_F(TraceSetTest, ReadersThatAreOpen) {
  const std::vector<std::string> paths = {trace("a.db", 100, 50, {{"host", "a"}}),
                                          trace("b.db", 101, 51, {{"host", "a"}})};
  const auto first = TraceReader::open(paths[0]);
  const auto second = TraceReader::open(paths[1]);
  ASSERT_TRUE(first.ok() && second.ok());
  const std::vector<TraceReader*> readers = {first->get(), second->get()};
  const auto set = TraceSet::of(readers);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(names(*set), (Names{"a.db", "b.db"}));
  EXPECT_EQ(offsets(*set), (Offsets{0, 1}));
  EXPECT_EQ(&set->members()[1].reader, second->get());
}

TEST_F(TraceSetTest, DamagedTimesOverflowNothing) {
  const auto set = open({trace("a.db", 100, 50, {{"host", "a"}, {"boot_id", "b"}}),
                         trace("b.db", 9'000'000'000, 1, {{"host", "a"}, {"boot_id", "b"}}),
                         trace("c.db", -9'000'000'000, 9'000'000'000, {{"host", "a"}})});
  for (const TraceMember& member : set->members()) EXPECT_GE(member.identity.offset_ns, 0);
}

}  // namespace
}  // namespace prof
