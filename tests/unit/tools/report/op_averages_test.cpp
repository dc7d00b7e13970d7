// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the sums by op: nested, recursive and cross-thread ranges, calls inside of calls, open
// ranges; names in texts. tests/truth/key_averages.py has real traces.
#include "tools/report/compat/op_averages.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/analyzers/fake_trace.hpp"
#include "tools/report/rows/range_name.hpp"

namespace prof::reports {
namespace {

class OpAveragesTest : public ::testing::Test {
 protected:
  Status add(OpAverages& averages, std::optional<std::uint32_t> rank = {}) {
    TraceReader* const readers[] = {&trace_};
    Result<TraceSet> traces = TraceSet::of(readers);
    Reading reading(attribute_by_analyzers({}), Reading::Keeps::kNothing, 1);
    const RowInput input{*traces, reading, filter_, tally_, {}};
    TraceIdentity identity;
    identity.rank = rank;
    return averages.add({trace_, std::move(identity)}, input);
  }
  OpAverage of(std::string_view name) {
    OpAverages averages({});
    EXPECT_TRUE(add(averages).ok());
    for (const OpAverage* average : averages.sorted()) {
      if (average->name == name) return *average;
    }
    return {};
  }
  // A range that lasts `ns`, whatever is pushed inside.
  template <typename Inside>
  RangeId range(std::string_view text, std::int64_t ns, const Inside& inside,
                std::uint32_t thread = 1) {
    const RangeId id = trace_.push(text, thread);
    inside();
    trace_.pop(thread);
    RangeRow& row = trace_.range_row(id);
    row.end_ns = row.start_ns + ns;
    return id;
  }
  RangeId range(std::string_view text, std::int64_t ns) {
    return range(text, ns, [] {});
  }

  StringId runtime_, driver_;
  RowFilter filter_;
  Tally tally_;
  fakes::FakeTrace trace_;
};

TEST_F(OpAveragesTest, OwnTimeIsWithoutWhatIsInside) {
  range("outer", 1000, [&] {
    range("inner", 300);
    range("inner", 200);
    trace_.kernel("k", 50);
  });
  const OpAverage outer = of("outer"), inner = of("inner"), kernel = of("k");
  EXPECT_EQ(outer.cpu_ns, 1000);
  EXPECT_EQ(outer.self_cpu_ns, 500);
  EXPECT_EQ(inner.calls, 2U);
  EXPECT_EQ(inner.self_cpu_ns, 500);
  EXPECT_EQ(outer.self_cuda_ns, 50);
  EXPECT_EQ(kernel.self_cuda_ns, 50);
  EXPECT_EQ(kernel.cpu_ns, 0);
}

TEST_F(OpAveragesTest, ARecursiveOpCountsInBothTotals) {
  range("f", 100, [&] {
    range("f", 60, [&] { trace_.kernel("k", 7); });
    range("g", 0);
  });
  const OpAverage f = of("f");
  EXPECT_EQ(f.calls, 2U);
  EXPECT_EQ(f.cpu_ns, 160);
  EXPECT_EQ(f.self_cpu_ns, 100);
  EXPECT_EQ(f.cuda_ns, 14);
  EXPECT_EQ(f.self_cuda_ns, 7);
}

TEST_F(OpAveragesTest, AnOpThatOnlyCallsOneOfItsNameIsOneCall) {
  range("f", 100, [&] { range("f", 60, [&] { range("f", 50, [&] { trace_.kernel("k", 7); }); }); });
  OpAverage f = of("f");
  EXPECT_EQ(f.calls, 1U);
  EXPECT_EQ(f.cpu_ns, 100);
  EXPECT_EQ(f.self_cpu_ns, 100);
  EXPECT_EQ(f.cuda_ns, 7);
  EXPECT_EQ(f.self_cuda_ns, 7);
  // The outer one also makes a CUDA call.
  ApiCallRow call;
  call.range = 1;
  call.function = trace_.new_string("cudaLaunchKernel");
  trace_.api_calls_.push_back(call);
  f = of("f");
  EXPECT_EQ(f.calls, 2U);
  EXPECT_EQ(f.cpu_ns, 160);
  EXPECT_EQ(f.cuda_ns, 14);
}

TEST_F(OpAveragesTest, AnOpenOpIsNotJoinedWithTheOneInside) {
  trace_.push("f");
  range("f", 60);
  EXPECT_EQ(of("f").calls, 2U);
  EXPECT_EQ(of("f").cpu_ns, 60);
}

TEST_F(OpAveragesTest, ABackwardPassOnAnotherThreadHasTheStepOfItsForwardOp) {
  trace_.push("step:1");
  range("aten::mul, seq = 7, sizes = [[2], [2]]", 10, [&] { trace_.kernel("forward", 100); });
  trace_.pop();
  trace_.push("step:2");
  range(
      "MulBackward0, seq = 7, sizes = []", 20,
      [&] {
        range(
            "aten::mul, seq = 9, sizes = [[2], [2]]", 5, [&] { trace_.kernel("backward", 30, 2); },
            2);
      },
      2);
  trace_.pop();
  filter_.step = StepFilter{.spans = {{1, 1}}};
  EXPECT_EQ(of("forward").calls, 1U);
  EXPECT_EQ(of("backward").calls, 1U);
  EXPECT_EQ(of("MulBackward0").calls, 1U);
  EXPECT_EQ(of("step:2").calls, 0U);
}

TEST_F(OpAveragesTest, WorkInBodiesOfGraphsIsOfTheRangesAroundTheLaunch) {
  range("step:1", 10, [&] { trace_.kernel("first", 5); });
  range("step:2", 10, [&] { trace_.launch_graph(1, 7); });
  trace_.body(fakes::FakeTrace::node_id(7, 0), "body", trace_.now_ns() + 100);
  EXPECT_EQ(of("step:2").cuda_ns, 5);
  filter_.step = StepFilter{.spans = {}, .with_last = true};
  EXPECT_EQ(of("first").calls, 0U);
  EXPECT_EQ(of("body").calls, 1U);
}

TEST_F(OpAveragesTest, ThreadsAreApart) {
  range("a", 100, [&] {
    range(
        "b", 1000, [] {}, 2);
  });
  EXPECT_EQ(of("a").self_cpu_ns, 100);
  EXPECT_EQ(of("b").self_cpu_ns, 1000);
}

TEST_F(OpAveragesTest, CallsTakeTheirTimeFromTheOp) {
  const RangeId op = range("op", 100);
  const auto call = [&](std::uint32_t depth, std::int64_t ns, RangeId range) {
    ApiCallRow row;
    row.depth = depth;
    row.duration_ns = ns;
    row.range = range;
    row.function = depth == 0 ? runtime_ : driver_;
    trace_.api_calls_.push_back(row);
  };
  runtime_ = trace_.new_string("cudaLaunchKernel");
  driver_ = trace_.new_string("cuLaunchKernel");
  call(0, 40, op);
  call(1, 30, op);
  call(0, 5, 0);
  EXPECT_EQ(of("op").self_cpu_ns, 60);
  EXPECT_EQ(of("op").cpu_ns, 100);
  EXPECT_EQ(of("cudaLaunchKernel").calls, 2U);
  EXPECT_EQ(of("cudaLaunchKernel").self_cpu_ns, 45);
  EXPECT_EQ(of("cudaLaunchKernel").cpu_ns, 45);
  EXPECT_EQ(of("cuLaunchKernel").calls, 0U) << "made by CUDA itself";
}

TEST_F(OpAveragesTest, AnOpenRangeCountsWithoutATime) {
  trace_.push("open");
  range("inside", 10);
  EXPECT_EQ(of("open").calls, 1U);
  EXPECT_EQ(of("open").unclosed, 1U);
  EXPECT_EQ(of("open").cpu_ns, 0);
  EXPECT_EQ(of("open").self_cpu_ns, 0) << "what is inside takes nothing from an unknown time";
}

TEST_F(OpAveragesTest, OnlyTheChosenStepsAndRangesCount) {
  for (int step = 1; step <= 2; ++step) {
    range("step:" + std::to_string(step), 100 * step,
          [&] { range("op", 10 * step, [&] { trace_.kernel("k", step); }); });
  }
  trace_.advance_ns(1000);  // beyond the end that range() has set
  range("op", 1, [&] { trace_.kernel("k", 1000); });
  EXPECT_EQ(of("op").calls, 3U);
  filter_.step = StepFilter{.spans = {{2, 2}}};
  EXPECT_EQ(of("op").calls, 1U);
  EXPECT_EQ(of("op").cpu_ns, 20);
  EXPECT_EQ(of("op").cuda_ns, 2);
  EXPECT_EQ(of("step:2").self_cpu_ns, 180);
  EXPECT_EQ(of("step:1").calls, 0U);
  EXPECT_EQ(of("k").self_cuda_ns, 2);
  EXPECT_EQ(tally_.filter.steps.to_text(), "1-2");
  filter_.step = StepFilter{.spans = {}, .with_last = true};
  EXPECT_EQ(of("op").cpu_ns, 20);
  filter_.step.reset();
  filter_.ranges = {"step:1"};
  EXPECT_EQ(of("op").cpu_ns, 10);
  EXPECT_EQ(of("k").calls, 1U);
  // The range around what was chosen is not: nothing is taken from its own time.
  filter_.ranges = {"op"};
  EXPECT_EQ(of("op").calls, 3U);
  EXPECT_EQ(of("step:1").calls, 0U);
}

TEST_F(OpAveragesTest, AStepOfTheProcessIsByTime) {
  const RangeId before = range("op", 1);
  const RangeId inside = range("op", 2, [&] { trace_.kernel("k"); });
  trace_.process_range("step:7", trace_.range_row(inside).start_ns,
                       trace_.range_row(inside).start_ns + 5);
  ASSERT_LT(trace_.range_row(before).start_ns, trace_.range_row(inside).start_ns);
  filter_.step = StepFilter{.spans = {{7, 7}}};
  EXPECT_EQ(of("op").cpu_ns, 2);
  filter_.step = StepFilter{.spans = {}, .with_last = true};
  EXPECT_EQ(of("op").cpu_ns, 2);
}

TEST_F(OpAveragesTest, NumbersInNamesStay) {
  range("aten::add, seq = 1, sizes = [[2, 3]]", 10);
  range("aten::add, seq = 2, sizes = [[4]]", 20);
  range("loss = 3, seq = 1", 1);
  range("loss = 4, seq = 2", 2);
  EXPECT_EQ(of("aten::add").calls, 2U);
  EXPECT_EQ(of("loss = 3").cpu_ns, 1);
  EXPECT_EQ(of("loss = 4").cpu_ns, 2);
}

TEST_F(OpAveragesTest, ByInputsEachShapeIsAnEntry) {
  range("aten::add, seq = 1, sizes = [[2, 3], []]", 10);
  range("aten::add, seq = 2, sizes = [[2, 3], []]", 20);
  range("aten::add, seq = 3, sizes = [[4]]", 1);
  OpAverages averages({.inputs = true});
  ASSERT_TRUE(add(averages).ok());
  const auto all = averages.sorted();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]->inputs, "[[2, 3], []]");
  EXPECT_EQ(all[0]->calls, 2U);
  EXPECT_EQ(all[1]->inputs, "[[4]]");
}

TEST_F(OpAveragesTest, OnlyTheChosenLayersOpsAndDirectionsCount) {
  range("layer:a", 100, [&] {
    range(fakes::op_text("linear", "fprop", "x:in:2x3:float16"), 60,
          [&] { trace_.kernel("k", 7); });
  });
  range("layer:b", 50, [&] {
    range(fakes::op_text("relu", "bprop", "x:in:2x3:float16"), 20, [&] { trace_.kernel("k", 5); });
  });
  const auto choose = [&](std::string_view flag, std::string pattern) {
    for (const FilterOption& option : filter_options()) {
      if (option.flag == flag) filter_.columns = {{&option, {std::move(pattern)}}};
    }
    tally_ = {};
  };
  EXPECT_EQ(of("k").cuda_ns, 12);
  choose("--layer", "a");
  EXPECT_EQ(of("k").cuda_ns, 7);
  EXPECT_EQ(of("layer:a").self_cpu_ns, 40);
  EXPECT_EQ(of("layer:b").calls, 0U);
  EXPECT_EQ(of("relu").calls, 0U);
  choose("--op", "relu");
  EXPECT_EQ(of("k").cuda_ns, 5);
  EXPECT_EQ(of("relu").calls, 1U);
  EXPECT_EQ(of("layer:b").calls, 0U) << "what is in no op";
  choose("--dir", "fprop");
  EXPECT_EQ(of("k").cuda_ns, 7);
  EXPECT_EQ(of("linear").calls, 1U);
  EXPECT_EQ(of("relu").calls, 0U);
  choose("--layer", "c");
  EXPECT_EQ(of("k").calls, 0U);
  EXPECT_EQ(tally_.filter.columns[0].matched, 0U);
  EXPECT_TRUE(tally_.filter.columns[0].asked);
  EXPECT_TRUE(tally_.filter.columns[0].seen.contains("a"));
}

TEST_F(OpAveragesTest, OnlyTheChosenThreadsCount) {
  range("f", 100, [&] { trace_.kernel("k", 7); });
  range(
      "f", 30, [&] { trace_.kernel("k", 5, 2); }, 2);
  filter_.columns = {{&filter_options()[6], {"2"}}};
  ASSERT_EQ(filter_options()[6].flag, "--thread");
  EXPECT_EQ(of("f").calls, 1U);
  EXPECT_EQ(of("f").cpu_ns, 30);
  EXPECT_EQ(of("k").cuda_ns, 5);
}

TEST_F(OpAveragesTest, ByRankEachRankIsAnEntry) {
  range("f", 100);
  OpAverages averages({.rank = true});
  ASSERT_TRUE(add(averages, 0).ok());
  ASSERT_TRUE(add(averages, 1).ok());
  ASSERT_TRUE(add(averages, 1).ok());
  ASSERT_TRUE(add(averages).ok());
  const auto all = averages.sorted();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]->rank, 1U);
  EXPECT_EQ(all[0]->calls, 2U);
  EXPECT_EQ(all[1]->rank, 0U);
  EXPECT_EQ(all[2]->rank, std::nullopt);
}

TEST(RangeNames, OfTheNativeDialect) {
  const RangeName name = name_of_range(
      fakes::op_text("linear", "fprop", "x:in:2x3:float16 w:in:4x3:float16 y:out:2x4:float16"));
  EXPECT_EQ(name.name, "linear");
  EXPECT_EQ(name.inputs, "[[2,3], [4,3]]");
  const RangeName call = name_of_range(
      R"({"v":1,"mod":"prof","call":"Linear","args":[{"name":"0","role":"in","shape":[8,16]}]})");
  EXPECT_EQ(call.name, "Linear");
  EXPECT_EQ(call.inputs, "[[8,16]]");
  EXPECT_EQ(name_of_range(R"({"op":"x","args":[{"shape":[1],"role":7}]})").inputs, "[[1]]");
  EXPECT_EQ(name_of_range("{not json").name, "{not json");
  EXPECT_EQ(name_of_range(R"({"v":1,"mod":"prof","dir":"bprop"})").name, "prof:bprop");
  EXPECT_EQ(name_of_range(R"({"mod":1})").name, R"({"mod":1})");
}

}  // namespace
}  // namespace prof::reports
