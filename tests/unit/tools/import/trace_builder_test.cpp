// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the builder makes of slices and GPU work in any order: ids, parents, stacks of calls.
#include "tools/import/builder/trace_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "libprof/source/text_template.hpp"
#include "tests/support/range_order.hpp"
#include "tests/unit/source/recording_sink.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof::importers {
namespace {

class Builder : public testing::Test {
 protected:
  Slice range(const char* name, std::int64_t start, std::int64_t end, std::uint64_t os_tid = 1) {
    Slice slice;
    slice.thread = builder_.thread(1, os_tid);
    slice.start_ns = start;
    slice.end_ns = end;
    slice.name = builder_.text(name);
    return slice;
  }
  Slice call(Slice::Kind kind, Correlation correlation, std::int64_t start, std::int64_t end) {
    Slice slice = range("launch", start, end);
    slice.kind = kind;
    slice.correlation = correlation;
    return slice;
  }
  static KernelRecord kernel(Correlation correlation, std::int64_t start) {
    KernelRecord record;
    record.correlation = correlation;
    record.start_ns = start;
    record.end_ns = start + 1;
    return record;
  }
  void add(const Slice& slice) { ASSERT_TRUE(builder_.add(slice).ok()); }
  void add(const Event& event, std::uint64_t op = 0) { ASSERT_TRUE(builder_.add(event, op).ok()); }

  TraceBuilder::Counts finish() {
    const auto counts = builder_.finish();
    EXPECT_TRUE(counts.ok());
    return *counts;
  }

  template <typename Record>
  [[nodiscard]] std::vector<Record> all() const {
    return sink_.all<Record>();
  }
  [[nodiscard]] std::string text(StringId id) const { return sink_.text(id); }
  /// The texts from the root to a range, joined with '/'; an alias is marked with '~'.
  [[nodiscard]] std::string stack(RangeId id) const {
    std::string path;
    const std::vector<RangeRecord> ranges = all<RangeRecord>();
    while (id != 0) {
      const auto found = std::ranges::find(ranges, id, &RangeRecord::id);
      if (found == ranges.end()) return "?/" + path;
      const bool alias = found->kind == RangeRecord::Kind::kAlias;
      path = (alias ? "~" : "") + text(found->text) + (path.empty() ? "" : "/") + path;
      id = found->parent;
    }
    return path;
  }
  [[nodiscard]] std::vector<std::string> stacks() const {
    std::vector<std::string> found;
    for (const RangeRecord& record : all<RangeRecord>()) found.push_back(stack(record.id));
    return found;
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> losses() const {
    std::map<std::string, std::uint64_t> found;
    for (const auto& record : all<LossRecord>()) found[std::string(record.what)] = record.count;
    return found;
  }

  TempFolder folder_;
  RecordingSink sink_;
  TraceBuilder builder_{sink_, folder_.path(), 1024};  // So that every test sorts on disk.
};

using Stacks = std::vector<std::string>;

TEST_F(Builder, ParentsFollowFromTheTimes) {
  add(range("inner", 20'000, 30'000));
  add(range("next", 60'000, 70'000));
  add(range("outer", 10'000, 50'000));
  add(range("innermost", 20'000, 21'000));
  add(range("other thread", 15'000, 80'000, 2));
  finish();
  EXPECT_EQ(stacks(),
            (Stacks{"outer", "other thread", "outer/inner", "outer/inner/innermost", "next"}));
  EXPECT_TRUE(losses().empty());
  EXPECT_EQ(all<MetaRecord>().at(0).value, "10000");
}

TEST_F(Builder, MarksAndProcessRangesAreInsideOthersAndAroundNone) {
  Slice mark = range("mark", 15'000, 15'000);
  mark.kind = Slice::Kind::kMark;
  mark.category = 7;
  Slice process = range("process", 12'000, 90'000);
  process.kind = Slice::Kind::kProcessRange;
  process.end_thread = builder_.thread(1, 2);
  add(mark);
  add(process);
  add(range("outer", 10'000, 50'000));
  add(call(Slice::Kind::kRuntimeCall, 3, 16'000, 17'000));
  add(range("after", 60'000, 70'000));
  finish();
  const auto ranges = all<RangeRecord>();
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[1].kind, RangeRecord::Kind::kStartEnd);
  EXPECT_EQ(ranges[1].parent, 0U);
  EXPECT_NE(ranges[1].end_thread, ranges[1].thread);
  EXPECT_EQ(stacks(), (Stacks{"outer", "process", "after"}));
  const auto marks = all<MarkRecord>();
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(stack(marks[0].parent), "outer");
  EXPECT_EQ(text(marks[0].text), "mark");
  EXPECT_EQ(marks[0].category, 7U);
  EXPECT_EQ(marks[0].time_ns, 15'000);
  EXPECT_EQ(stack(all<ApiRecord>().at(0).stack), "outer");
  EXPECT_TRUE(losses().empty());
}

TEST_F(Builder, ARangeWithoutAnEndStaysOpen) {
  add(range("outer", 10'000, 50'000));
  add(range("open", 20'000, Slice::kNeverEnded));
  add(range("inner", 30'000, 40'000));
  add(range("after", 60'000, 70'000));
  const auto counts = builder_.finish(1'000'000);
  ASSERT_TRUE(counts.ok());
  const auto ranges = all<RangeRecord>();
  EXPECT_EQ(stacks(), (Stacks{"outer", "outer/open", "outer/open/inner", "~open", "~open/after"}));
  EXPECT_EQ(ranges.at(1).start_ns, 1'020'000);
  EXPECT_EQ(ranges.at(1).end_ns, 0);
  EXPECT_EQ(ranges.at(3).end_ns, 0);
  EXPECT_EQ(losses(), (std::map<std::string, std::uint64_t>{{"unclosed_range", 1}}));
}

TEST_F(Builder, TextsThatDifferInNumbersAreKeptOnce) {
  constexpr int kRanges = 5'000;  // So that numbers go to the scratch file, too.
  for (int i = 0; i < kRanges; ++i) {
    const int place = i % 2 == 0 ? i : kRanges - i;
    Slice slice = range("", 1'000 * (place + 1), 1'000 * (place + 1) + 500);
    const std::string numbers = ", seq = " + std::to_string(place) +
                                ", op_id = " + std::to_string(place + 1'000'000'000'000);
    ASSERT_TRUE(builder_.set_text(slice, "aten::add" + numbers).ok());
    add(slice);
  }
  finish();
  const auto ranges = all<RangeRecord>();
  ASSERT_EQ(ranges.size(), static_cast<std::size_t>(kRanges));
  for (const RangeRecord& record : ranges) {
    const std::int64_t place = record.start_ns / 1'000 - 1;
    EXPECT_EQ(record.text, ranges[0].text);
    EXPECT_EQ(join_text(text(record.text), record.numbers),
              "aten::add, seq = " + std::to_string(place) +
                  ", op_id = " + std::to_string(place + 1'000'000'000'000));
    if (HasFailure()) break;
  }
}

TEST_F(Builder, NodesOfGraphsHaveTheStackUnderWhichTheyWereCreated) {
  Slice node = range("", 20'000, 20'000);
  node.kind = Slice::Kind::kGraphNode;
  node.op = 0x700000001;
  node.sequence = 0x600000001;
  add(node);
  add(range("layer", 10'000, 50'000));
  finish();
  const auto nodes = all<GraphNodeRecord>();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].graph_node, 0x700000001U);
  EXPECT_EQ(nodes[0].graph, 7U);
  EXPECT_EQ(nodes[0].original_node, 0x600000001U);
  EXPECT_EQ(nodes[0].time_ns, 20'000);
  EXPECT_EQ(stack(nodes[0].stack), "layer");
}

TEST_F(Builder, CallsOfTheOperatingSystemAreInsideRangesAndAroundNothing) {
  Slice os_call = range("poll", 20'000, 40'000);
  os_call.kind = Slice::Kind::kOsCall;
  add(os_call);
  add(range("layer", 10'000, 50'000));
  add(range("inner", 30'000, 35'000));
  finish();
  const auto os_calls = all<OsCallRecord>();
  ASSERT_EQ(os_calls.size(), 1U);
  EXPECT_EQ(text(os_calls[0].function), "poll");
  EXPECT_EQ(os_calls[0].start_ns, 20'000);
  EXPECT_EQ(os_calls[0].end_ns, 40'000);
  EXPECT_EQ(stack(os_calls[0].stack), "layer");
  EXPECT_EQ(stacks(), (std::vector<std::string>{"layer", "layer/inner"}));
  EXPECT_TRUE(losses().empty());
}

TEST_F(Builder, TheFirstOfEqualSlicesIsAroundTheOthers) {
  add(range("a", 10'000, 20'000));
  add(range("b", 10'000, 20'000));
  add(call(Slice::Kind::kDriverCall, 3, 10'000, 20'000));
  add(call(Slice::Kind::kRuntimeCall, 3, 10'000, 20'000));
  finish();
  EXPECT_EQ(stacks(), (Stacks{"a", "a/b"}));
  const auto calls = all<ApiRecord>();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].domain, ApiRecord::Domain::kRuntime);
  EXPECT_EQ(calls[0].depth, 0U);
  EXPECT_EQ(calls[1].domain, ApiRecord::Domain::kDriver);
  EXPECT_EQ(calls[1].depth, 1U);
  EXPECT_EQ(stack(calls[0].stack), "a/b");
  EXPECT_EQ(calls[1].stack, calls[0].stack);
}

TEST_F(Builder, RoundedTimesDoNotNest) {
  add(range("a", 10'000, 20'000));
  add(range("b", 19'500, 40'000));  // begins before a's end
  add(range("c", 30'000, 40'300));  // ends after b's end, though called by it
  add(range("d", 40'200, 50'000));
  finish();
  EXPECT_EQ(stacks(), (Stacks{"a", "b", "b/c", "d"}));
  EXPECT_EQ(losses(), (std::map<std::string, std::uint64_t>{{"overlapping_slice", 3}}));
}

TEST_F(Builder, AnOverlappingSliceStandsWithoutWhatHasEnded) {
  add(range("step", 1'000, 100'000));
  add(range("a", 10'000, 50'000));
  add(range("b", 20'000, 80'000));
  add(range("in both", 30'000, 40'000));
  add(range("in b", 60'000, 70'000));
  add(range("in b again", 71'000, 72'000));
  add(range("after", 90'000, 91'000));
  finish();
  EXPECT_EQ(stacks(), (Stacks{"step", "step/a", "step/a/b", "step/a/b/in both", "step/~b",
                              "step/~b/in b", "step/~b/in b again", "step/after"}));
  const auto ranges = all<RangeRecord>();
  EXPECT_EQ(ranges[4].alias_of, ranges[2].id);
  EXPECT_EQ(ranges[4].start_ns, 20'000);
  EXPECT_EQ(losses(), (std::map<std::string, std::uint64_t>{{"overlapping_slice", 1}}));
}

TEST_F(Builder, SlicesThatOverlapManyOthersDoNotMultiply) {
  constexpr std::int64_t kSlices = 400;
  for (std::int64_t i = 0; i < kSlices; ++i) {
    add(range("s", 10'000 * (i + 1), 10'000 * (i + 1) + 5'000 * kSlices));
  }
  add(range("after", 10'000 * kSlices + 1'000, 10'000 * kSlices + 2'000));
  finish();
  EXPECT_LT(all<RangeRecord>().size(), 20 * kSlices);
  EXPECT_EQ(losses().at("overlapping_slice"), kSlices - 1);
  EXPECT_GT(losses().at("overlap_too_deep"), 0U);
  // Those whose ends are kept are around what comes later.
  EXPECT_TRUE(stacks().back().ends_with("s/after")) << stacks().back();
}

TEST_F(Builder, WorkComesInTheOrderOfItsLaunches) {
  add(kernel(9, 500));
  add(kernel(7, 900));
  add(MemcpyRecord{{.correlation = 8, .start_ns = 100, .end_ns = 101}});
  add(call(Slice::Kind::kRuntimeCall, 9, 400, 450));
  add(call(Slice::Kind::kRuntimeCall, 7, 80, 85));
  add(OverheadRecord{builder_.text("request"), 0, 50, 60});
  finish();
  std::vector<std::string> order;
  for (const AnyRecord& any : sink_.records) {
    if (const auto* api = std::get_if<ApiRecord>(&any)) {
      order.push_back("call " + std::to_string(api->correlation));
    } else if (const auto* work = std::get_if<KernelRecord>(&any)) {
      order.push_back("kernel " + std::to_string(work->correlation));
    } else if (std::holds_alternative<MemcpyRecord>(any)) {
      order.emplace_back("copy");
    } else if (std::holds_alternative<OverheadRecord>(any)) {
      order.emplace_back("overhead");
    }
  }
  EXPECT_EQ(order, (Stacks{"overhead", "call 7", "kernel 7", "copy", "call 9", "kernel 9"}));
  EXPECT_EQ(all<MetaRecord>().at(0).value, "50");
}

TEST_F(Builder, TheOpOfTheFileIsCompared) {
  Slice op = range("op", 10'000, 20'000);
  op.op = 5;
  add(op);
  add(range("no op", 12'000, 18'000));
  add(call(Slice::Kind::kRuntimeCall, 1, 13'000, 14'000));
  add(call(Slice::Kind::kRuntimeCall, 2, 15'000, 16'000));
  add(kernel(1, 30'000), 5);
  add(kernel(2, 31'000), 6);
  add(kernel(3, 32'000), 5);  // its call was not recorded
  finish();
  EXPECT_EQ(losses(), (std::map<std::string, std::uint64_t>{{"under_another_op", 1}}));
}

TEST_F(Builder, ThreadsAreNamedAndNumbered) {
  builder_.name_thread(1, 77, "pt_autograd_0");
  builder_.name_thread(0, 7, "stream 7");  // no thread
  add(range("a", 1, 2, 77));
  add(range("b", 1, 2, 0x7f0000000000));
  finish();
  const auto threads = all<ThreadRecord>();
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].os_tid, 77U);
  EXPECT_EQ(text(threads[0].name), "pt_autograd_0");
  EXPECT_EQ(threads[1].os_tid, 0U);
}

TEST_F(Builder, IdsAreInTheStatedOrder) {
  std::mt19937 random(3);
  const auto pick = [&random](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (std::int64_t i = 0; i < 5000; ++i) {
    const std::int64_t start = pick(1, 10'000'000);
    add(range("range", start, start + pick(0, 200'000), static_cast<std::uint64_t>(pick(1, 5))));
  }
  finish();
  const auto ranges = all<RangeRecord>();
  EXPECT_GT(ranges.size(), 5000U) << "random slices overlap";
  EXPECT_EQ(wrong_range_order(ranges), "");
}

TEST(BuilderFailure, AFullDiskIsAnError) {
  RecordingSink sink;
  TraceBuilder builder(sink, "/nowhere/at/all", 1);
  ASSERT_TRUE(builder.add(Slice{}).ok());
  EXPECT_FALSE(builder.add(Slice{}).ok());
}

TEST_F(Builder, WorkWithoutTimesMovesNoOthers) {
  KernelRecord never_ran = kernel(2, TraceBuilder::kNoTime);
  never_ran.end_ns = TraceBuilder::kNoTime;
  add(never_ran);
  add(kernel(1, 500));
  EXPECT_EQ(finish().without_times, 1u);
  const auto kernels = all<KernelRecord>();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].start_ns, 500);
  EXPECT_EQ(kernels[1].start_ns, 0);
  EXPECT_EQ(kernels[1].end_ns, 0);
}

}  // namespace
}  // namespace prof::importers
