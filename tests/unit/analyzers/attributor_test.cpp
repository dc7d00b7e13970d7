// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attributor.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

std::vector<AttributedRow> attribute(FakeTrace& trace, AttributorOptions options = {},
                                     AttributionCounts* counts = nullptr) {
  const auto cursor = attribute_work(trace, options);
  std::vector<AttributedRow> seen;
  while (const AttributedRow* row = cursor->next()) seen.push_back(*row);
  EXPECT_TRUE(cursor->status().ok());
  if (counts != nullptr) *counts = cursor->counts();
  return seen;
}

const std::string kNativeLinear =
    op_text("linear", "fprop", "x:in:32x4:float16 weight:in:8x4:float16 y:out:32x8:float16");
const std::string kNativeRelu = op_text("relu", "fprop", "x:in:32x8:float16 y:out:32x8:float16");
constexpr double kLinearFlops = 2.0 * 8 * 32 * 4;
constexpr double kReluFlops = 32 * 8;

TEST(Attributor, InterleavedThreadsSumRight) {
  FakeTrace trace;
  std::map<std::uint64_t, double> want;
  std::mt19937 random(11);  // NOLINT: the same trace at every run
  std::vector<RangeId> open(8, 0);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t thread = static_cast<std::uint32_t>(random() % 8);
    if (open[thread] == 0) {
      open[thread] = trace.push(random() % 2 == 0 ? kNativeLinear : kNativeRelu, thread + 1);
    } else if (random() % 4 == 0) {
      trace.pop(thread + 1);
      open[thread] = 0;
    } else {
      trace.kernel("k", static_cast<std::int64_t>(random() % 1000), thread + 1);
      want[open[thread]] =
          trace.range_row(open[thread]).text == kNativeLinear ? kLinearFlops : kReluFlops;
    }
  }
  AttributionCounts counts;
  std::map<std::uint64_t, double> sums;
  std::map<std::uint64_t, std::uint32_t> kernels;
  std::uint64_t last = 0;
  for (const AttributedRow& s : attribute(trace, {}, &counts)) {
    EXPECT_GT(s.gpu.correlation, last) << "launch order";
    last = s.gpu.correlation;
    sums[s.attribution.op_id] += *s.attribution.cost.flops;
    EXPECT_EQ(s.attribution.sub, kernels[s.attribution.op_id]++);
  }
  EXPECT_EQ(sums, want);
  EXPECT_EQ(counts.late, 0U);
}

TEST(Attributor, OpenOpsDoNotHoldRowsForEver) {
  FakeTrace trace;
  trace.push(kNativeLinear, 1);
  trace.kernel("first", 100, 1);
  trace.push(kNativeRelu, 2);
  for (int i = 0; i < 1000; ++i) trace.kernel("other", 100, 2);
  trace.kernel("second", 100, 1);
  AttributionCounts counts;
  const auto seen = attribute(trace, {.max_held_rows = 100}, &counts);
  ASSERT_EQ(seen.size(), 1002U);
  double linear = 0, relu = 0;
  for (const AttributedRow& s : seen)
    (s.attribution.op->op == "linear" ? linear : relu) += *s.attribution.cost.flops;
  EXPECT_EQ(linear, kLinearFlops);
  EXPECT_EQ(relu, kReluFlops);
  EXPECT_GT(counts.late, 1U);
  EXPECT_EQ(seen.back().attribution.op->op, "linear");
  EXPECT_EQ(seen.back().attribution.cost.flops, 0) << "late";
}

TEST(Attributor, OpsThatAreOverAreGivenOutByTime) {
  FakeTrace trace;
  trace.push(kNativeLinear, 1);
  trace.kernel("only", 100, 1);
  trace.pop(1);  // thread 1 never launches again
  trace.advance_ns(5'000'000);
  for (int i = 0; i < 200; ++i) {
    trace.push(kNativeRelu, 2);
    trace.kernel("r", 100, 2);
    trace.pop(2);
  }
  AttributionCounts counts;
  const auto seen = attribute(trace, {.max_held_rows = 4}, &counts);
  EXPECT_EQ(seen[0].attribution.cost.flops, kLinearFlops);
  EXPECT_EQ(counts.late, 0U);
}

TEST(Attributor, TinyCachesSayTheSame) {
  FakeTrace trace;
  for (int i = 0; i < 3000; ++i) {
    trace.push("step:" + std::to_string(i / 10));
    trace.push("layer:L" + std::to_string(i % 300));
    trace.push(op_text("relu", "fprop",
                       "x:in:" + std::to_string(1 + i % 170) + ":float16 y:out:8:float16"));
    trace.kernel("kernel" + std::to_string(i % 200));
    for (int k = 0; k < 3; ++k) trace.pop();
  }
  const auto large = attribute(trace);
  const auto small = attribute(trace, {.max_cache_entries = 1});
  ASSERT_EQ(large.size(), small.size());
  for (std::size_t i = 0; i < large.size(); ++i) {
    EXPECT_EQ(large[i].attribution.op->layer, small[i].attribution.op->layer);
    EXPECT_EQ(large[i].attribution.op->params, small[i].attribution.op->params);
    EXPECT_EQ(large[i].attribution.kernel->short_name, small[i].attribution.kernel->short_name);
    EXPECT_EQ(large[i].attribution.step, small[i].attribution.step);
    EXPECT_EQ(large[i].attribution.cost.flops, small[i].attribution.cost.flops);
  }
}

TEST(Attributor, ReaderErrorsAreTold) {
  FakeTrace trace;
  trace.push(kNativeRelu);
  for (int i = 0; i < 5; ++i) trace.kernel("k");
  trace.fail_after(3);
  const auto cursor = attribute_work(trace);
  int rows = 0;
  while (cursor->next() != nullptr) ++rows;
  EXPECT_EQ(rows, 3) << "what was read is given out";
  EXPECT_FALSE(cursor->status().ok());
  EXPECT_EQ(cursor->next(), nullptr);
}

}  // namespace
}  // namespace prof
