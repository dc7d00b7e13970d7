// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the row kinds about what is inside ranges, on traces in memory. Whole programs:
// tests/golden/compare_nsys.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/rows/range_stacks.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

class RangeRows : public testing::Test {
 protected:
  RangeRow& range(RangeId id, RangeId parent, std::int64_t start_ns, std::int64_t end_ns) {
    RangeRow& row = trace_.ranges_[id];
    row.id = id;
    row.parent = parent;
    row.thread = ThreadId{1};
    row.text = "r";
    row.start_ns = start_ns;
    row.end_ns = end_ns;
    return row;
  }

  GpuRow& work(RangeId stack, std::int64_t launch_ns, std::int64_t start_ns) {
    GpuRow& row = trace_.gpu_rows_.emplace_back();
    row.kind = GpuRow::Kind::kMemset;
    row.launched = true;
    row.thread = ThreadId{1};
    row.stack = stack;
    row.launch_start_ns = launch_ns;
    row.launch_duration_ns = 1;
    row.start_ns = start_ns;
    row.duration_ns = 10;
    return row;
  }

  /// The rows of a kind, "a b|c d": the cells of the chosen columns.
  std::string rows(const RowKind& kind, std::initializer_list<std::string_view> words) {
    Tally tally;
    const TraceSet traces = traces_of({&trace_});
    const RowFilter all;
    Reading reading(never_attributed, Reading::Keeps::kNothing, 1);
    const auto stream = kind.open({traces, reading, all, tally});
    std::string text;
    while (Row* row = stream->next()) {
      if (!text.empty()) text += '|';
      for (const std::string_view word : words) {
        if (word != *words.begin()) text += ' ';
        text += text_of(kind.find(word)->value(*row));
      }
    }
    EXPECT_TRUE(stream->status().ok());
    remarks_ = tally.remarks;
    return text;
  }

  static std::string text_of(const Cell& cell) {
    if (const auto* value = std::get_if<std::string_view>(&cell)) return std::string(*value);
    if (const auto* value = std::get_if<std::uint64_t>(&cell)) return std::to_string(*value);
    if (const auto* value = std::get_if<std::int64_t>(&cell)) return std::to_string(*value);
    return "-";
  }

  FakeTrace trace_;
  std::vector<std::string> remarks_;  // Of the last rows.
};

TEST_F(RangeRows, ARangeKnowsItsChildren) {
  range(1, 0, 0, 100);
  range(2, 1, 10, 30);
  range(3, 2, 15, 20);
  range(4, 1, 40, 45);
  EXPECT_EQ(rows(kNestedRanges, {"path", "level", "parent_id", "children", "children_ns"}),
            ":1:2:3 2 2 0 0|:1:2 1 1 1 5|:1:4 1 1 0 0|:1 0 - 2 25");
}

TEST_F(RangeRows, AnUnknownTimeOfAChildIsNotZero) {
  range(1, 0, 0, 100);
  range(2, 1, 10, 30);
  range(3, 1, 40, 0).end_ns.reset();
  EXPECT_EQ(rows(kNestedRanges, {"range_id", "time_ns", "children", "children_ns"}),
            "2 20 0 0|3 - 0 0|1 100 2 -");
}

TEST_F(RangeRows, AnAliasIsTheRangeThatItStandsFor) {
  range(1, 0, 0, 20);
  range(2, 1, 10, 60);
  RangeRow& alias = range(3, 0, 10, 60);  // range 1 was popped below it
  alias.kind = RangeRecord::Kind::kAlias;
  alias.alias_of = 2;
  range(4, 3, 30, 40);
  EXPECT_EQ(rows(kNestedRanges, {"path", "level", "children"}), ":1 0 1|:2:4 1 0|:1:2 1 1");
}

TEST_F(RangeRows, TheProjectionRunsFromTheFirstStartToTheLastEnd) {
  range(1, 0, 0, 100);
  range(2, 1, 10, 30);
  work(2, 15, 500);
  work(2, 20, 300);
  work(1, 50, 400).duration_ns = 0;  // times that are not known
  EXPECT_EQ(rows(kProjectedRanges, {"range_id", "gpu_ops", "gpu_start_ns", "gpu_time_ns"}),
            "2 2 300 210|1 3 300 210");
}

TEST_F(RangeRows, WorkInBodiesOfGraphsIsInTheRangesAroundTheLaunch) {
  range(1, 0, 0, 100);
  GpuRow& body = trace_.gpu_rows_.emplace_back();
  body.kind = GpuRow::Kind::kMemset;
  body.graph = 7;
  body.graph_node = std::uint64_t{7} << 32;
  body.start_ns = 500;
  body.duration_ns = 10;
  trace_.graph_launches_ = {{3, 7, true, ThreadId{1}, {}, 1, 50, 5}};
  EXPECT_EQ(rows(kRangeWork, {"range_id", "start_ns", "thread"}), "1 500 1");
  EXPECT_EQ(rows(kProjectedRanges, {"range_id", "gpu_ops", "gpu_start_ns"}), "1 1 500");
}

TEST_F(RangeRows, WorkOfUnknownTimesHasNoProjection) {
  range(1, 0, 0, 100);
  work(1, 50, 0).duration_ns = 0;
  EXPECT_EQ(rows(kProjectedRanges, {"gpu_ops", "gpu_start_ns", "gpu_time_ns"}), "1 - -");
}

TEST_F(RangeRows, WorkOfWholeMicrosecondsMayLastNone) {
  range(1, 0, 0, 100);
  work(1, 50, 400).duration_ns = 0;
  EXPECT_EQ(rows(kProjectedRanges, {"gpu_ops", "gpu_start_ns", "gpu_time_ns"}), "1 400 0");
}

TEST_F(RangeRows, OfMoreThan256RangesAroundALaunchTheInnermostAreLeftOut) {
  for (RangeId id = 1; id <= 300; ++id) {
    const auto at = static_cast<std::int64_t>(id);
    range(id, id - 1, at, 1000 - at);
  }
  work(256, 290, 2000);
  const auto all = rows(kRangeWork, {"range_id"});
  EXPECT_EQ(std::ranges::count(all, '|'), 255);
  EXPECT_TRUE(remarks_.empty());
  work(300, 301, 2000);
  work(300, 302, 2000);
  EXPECT_EQ(rows(kRangeWork, {"range_id"}), all + "|" + all + "|" + all);
  EXPECT_EQ(remarks_, std::vector<std::string>{std::string(RangeStack::kLeftOut)});
}

TEST_F(RangeRows, RangesOfTheProcessBeside256OthersAreLeftOutWholly) {
  const auto process_range = [this](RangeId id, std::int64_t start_ns, std::int64_t end_ns) {
    range(id, 0, start_ns, end_ns).kind = RangeRecord::Kind::kStartEnd;
    trace_.process_ranges_.push_back({.id = id,
                                      .domain = {},
                                      .text = {},
                                      .start_ns = start_ns,
                                      .end_ns = end_ns,
                                      .thread = ThreadId{1},
                                      .end_thread = ThreadId{1}});
  };
  for (RangeId id = 1; id <= 256; ++id) process_range(id, 10, 100);
  process_range(257, 20, 400);
  process_range(258, 200, 400);
  work(0, 50, 500);
  work(0, 300, 600);
  EXPECT_EQ(std::ranges::count(rows(kRangeWork, {"range_id"}), '|'), 256);
  EXPECT_TRUE(rows(kProjectedRanges, {"range_id", "gpu_ops"}).ends_with("|1 1|258 1"));
  EXPECT_EQ(remarks_, std::vector<std::string>{std::string(ProcessRanges::kLeftOut)});
}

TEST_F(RangeRows, WorkCountsInEveryRangeAroundItsLaunch) {
  range(1, 0, 0, 100);
  range(2, 1, 10, 30);
  RangeRow& process = range(5, 0, 12, 22);
  process.kind = RangeRecord::Kind::kStartEnd;
  const auto ended_by = [&](std::uint32_t thread) {
    trace_.process_ranges_ = {{.id = 5,
                               .domain = {},
                               .text = {},
                               .start_ns = 12,
                               .end_ns = 22,
                               .thread = ThreadId{1},
                               .end_thread = ThreadId{thread}}};
  };
  ended_by(1);
  work(2, 15, 500);
  work(2, 22, 600);  // the call outlasts range 5
  work(0, 120, 700);
  work(1, 0, 800).launched = false;
  EXPECT_EQ(rows(kRangeWork, {"range_id", "start_ns"}),
            "1 500|2 500|5 500|1 600|2 600|- 700|- 800");
  ended_by(2);
  EXPECT_EQ(rows(kRangeWork, {"range_id", "start_ns"}), "1 500|2 500|1 600|2 600|- 700|- 800");
}

TEST_F(RangeRows, ARangeThatWasNeverClosedHasNoRowOfWork) {
  range(1, 0, 0, 0).end_ns.reset();
  range(2, 1, 10, 30);
  range(3, 2, 15, 0).end_ns.reset();
  work(3, 16, 500);
  work(1, 40, 600);
  EXPECT_EQ(rows(kRangeWork, {"range_id", "start_ns"}), "2 500|- 600");
  EXPECT_EQ(rows(kProjectedRanges, {"range_id", "gpu_ops", "time_ns"}), "3 1 -|2 1 20|1 2 -");
}

TEST_F(RangeRows, ARangeThatOutlivesTheOneAroundItKeepsItsLaterWorkToItself) {
  range(1, 0, 0, 100);
  range(2, 1, 5, 40);
  range(3, 2, 10, 60);
  work(3, 15, 500);
  RangeRow& alias = range(4, 1, 10, 60);  // range 2 was popped below it
  alias.kind = RangeRecord::Kind::kAlias;
  alias.alias_of = 3;
  work(4, 50, 700);
  work(1, 70, 900);
  EXPECT_EQ(rows(kProjectedRanges, {"range_id", "gpu_ops", "gpu_start_ns", "gpu_time_ns"}),
            "2 1 500 10|3 2 500 210|1 3 500 410");
}

TEST_F(RangeRows, OfDeepStacksThePathHasTheInnermostRanges) {
  for (RangeId id = 1; id <= 66; ++id) range(id, id - 1, static_cast<std::int64_t>(id), 1000);
  const std::string paths = rows(kNestedRanges, {"level", "parent_id", "path"});
  EXPECT_TRUE(paths.starts_with("65 65 :...:3:4:")) << paths;
  EXPECT_NE(paths.find(":64:65:66|64 64 :...:2:3:"), std::string::npos) << paths;
  EXPECT_NE(paths.find("|63 63 :1:2:3:"), std::string::npos) << paths;
}

TEST_F(RangeRows, DamagedParentsEndTheWalk) {
  range(1, 1, 0, 100);  // its own parent
  range(2, 9, 0, 100);  // a later range as its parent
  range(3, 7, 0, 100);  // a range that is missing
  work(1, 15, 500);
  work(2, 16, 500);
  work(3, 17, 500);
  EXPECT_EQ(rows(kRangeWork, {"range_id"}), "1|2|3");
  EXPECT_EQ(rows(kNestedRanges, {"path"}), ":1|:2|:3");
}

}  // namespace
}  // namespace prof::reports
