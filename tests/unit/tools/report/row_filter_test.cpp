// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of which rows a report sees.
#include "tools/report/filter/row_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using testing::ElementsAre;

class Choices : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* op : {"linear", "add", "linear_backward", ""}) {
      auto& item = work_.kernel("void gemm<1>()", 10);
      item.facts.short_name = "gemm";
      item.op.op = op;
      item.attribution.step = ++steps_;
      item.gpu.stream = static_cast<std::uint32_t>(steps_ * 10);
    }
  }
  std::string kernels(const RowFilter& filter) {
    return reported({"kernels", "csv", "idx", filter, {}, {}}, trace_, work_);
  }

  std::int64_t steps_ = 0;
  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(Choices, PatternsMatchWholeTexts) {
  EXPECT_EQ(kernels(where_option("--op", "linear")), "idx\n1\n");
  work_ = {};
  SetUp();
  EXPECT_EQ(kernels(where_option("--op", "lin*")), "idx\n1\n3\n");
}

TEST(Paths, APatternMayMeanAPartOfAPath) {
  const std::string_view path = "gpt:h.0:attn.c_proj";
  for (const char* pattern :
       {"gpt", "h.0", "h", "gpt:h", "attn", "h.*", "h.0:attn", "gpt:*", "c_proj"}) {
    EXPECT_TRUE(path_matches_any(path, std::vector<std::string>{pattern})) << pattern;
  }
  for (const char* pattern : {"0", "att", "h.1", "gpt:attn", "h:attn"}) {
    EXPECT_FALSE(path_matches_any(path, std::vector<std::string>{pattern})) << pattern;
  }
}

TEST_F(Choices, NumbersMatchAsWritten) {
  EXPECT_EQ(kernels(where_option("--stream", "2?")), "idx\n2\n");
}

TEST_F(Choices, OneOfSeveralColumnsIsEnough) {
  EXPECT_EQ(kernels(where_option("--kernel", "void gemm<1>()")), "idx\n1\n2\n3\n4\n");
}

TEST_F(Choices, StepsAreRangesOrTheLast) {
  RowFilter filter;
  filter.step = *parse_steps(std::array<std::string, 1>{"2-3"});
  EXPECT_EQ(kernels(filter), "idx\n2\n3\n");
  EXPECT_EQ(filter.step->to_words(), "steps 2-3");
}

TEST_F(Choices, SeveralStepsAddUp) {
  RowFilter filter;
  filter.step = *parse_steps(std::array<std::string, 2>{"1", "3-9"});
  EXPECT_EQ(kernels(filter), "idx\n1\n3\n4\n");
  EXPECT_EQ(filter.step->to_words(), "steps 1,3-9");
}

TEST_F(Choices, TheLastStepGoesWithOthers) {
  RowFilter filter;
  filter.step = *parse_steps(std::array<std::string, 2>{"last", "1"});
  EXPECT_EQ(filter.step->to_words(), "step 1 and the last step");
  const auto attribute = [](TraceReader&, TraceReader::Work) {
    auto work = std::make_unique<FakeWork>();
    for (const int step : {1, 7, 3}) work->kernel("k", 1).attribution.step = step;
    return work;
  };
  EXPECT_EQ(reported({"kernels", "csv", "idx", filter, {}, {}}, traces_of({&trace_}), attribute),
            "idx\n1\n2\n");
}

TEST_F(Choices, TheLastStepIsFoundFirst) {
  RowFilter filter;
  filter.step = *parse_steps(std::array<std::string, 1>{"last"});
  const auto attribute = [](TraceReader&, TraceReader::Work) {
    auto work = std::make_unique<FakeWork>();
    for (const int step : {1, 7, 3}) work->kernel("k", 1).attribution.step = step;
    return work;
  };
  EXPECT_EQ(reported({"kernels", "csv", "idx", filter, {}, {}}, traces_of({&trace_}), attribute),
            "idx\n2\n");
}

TEST(FilterTally, WhatMatchesNothingIsToldWithWhatThereIs) {
  RowFilter filter = where_option("--op", "lineer");
  filter.ranges = {"fwd"};
  FilterTally tally;
  tally.columns.resize(1);
  tally.ranges.asked = true;
  EXPECT_THAT(tally.warnings(filter),
              ElementsAre("--op does not apply: no row that the report reads has the column 'op'",
                          "--range 'fwd' matches nothing; no row has any range"));
  tally.columns[0].applies = true;
  for (const char* op : {"linear", "add", "add", ""}) tally.columns[0].count(false, op);
  EXPECT_THAT(tally.warnings(filter),
              ElementsAre("--op 'lineer' matches nothing; did you mean 'linear'? ops are 'add', "
                          "'linear'",
                          "--range 'fwd' matches nothing; no row has any range"));
  tally.columns[0].count(true, "x");
  tally.ranges.count(true, "fwd");
  EXPECT_THAT(tally.warnings(filter), ElementsAre());
}

TEST(FilterTally, LongAndManyValuesAreCut) {
  FilterTally::OfFilter filter;
  for (int i = 0; i < 2000; ++i) filter.count(false, "name " + std::to_string(i));
  EXPECT_EQ(filter.seen.size(), 1000U);
  EXPECT_FALSE(filter.seen_all);
}

}  // namespace
}  // namespace prof::reports
