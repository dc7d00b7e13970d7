// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of numbering, filtering and tallying.
#include "tools/report/rows/selection.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

void set_op(FakeSource::Item& item, const char* op, bool known) {
  item.op.layer = "A";
  item.op.op = op;
  item.op.known_op = known;
  item.op.direction = Direction::kFprop;
}

void fill(FakeSource& source) {
  source.kernel("warmup", 10);
  auto& attributed = source.kernel("gemm", 100);
  attributed.attribution.step = 1;
  set_op(attributed, "linear", true);
  source.copy(GpuRow::Kind::kMemcpy, 64, 5).attribution.step = 1;
  auto& unknown_op = source.kernel("odd", 1000);
  unknown_op.attribution.step = 2;
  set_op(unknown_op, "odd", false);
}

TEST(Selection, NumbersOverTheWholeTrace) {
  FakeSource source;
  fill(source);
  WorkCounts counts;
  StepSet steps;
  Selection selection(
      source, [](const Work& work) { return work.attribution->step == 2; }, counts, steps);
  const Work* work = selection.next();
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->idx, 4U);
  EXPECT_EQ(selection.next(), nullptr);
  EXPECT_EQ(counts.kernels, 3U);
  EXPECT_EQ(counts.copies, 1U);
  EXPECT_EQ(counts.shown_kernels, 1U);
  EXPECT_EQ(counts.shown_copies, 0U);
  EXPECT_EQ(counts.shown_kernel_ns, 1000);
  EXPECT_EQ(steps.to_text(), "1-2") << "all steps, for the notes";
}

TEST(Selection, CountsWhatIsNotAttributed) {
  FakeSource source;
  fill(source);
  WorkCounts counts;
  StepSet steps;
  Selection selection(source, {}, counts, steps);
  while (selection.next() != nullptr) {
  }
  EXPECT_EQ(counts.shown_kernels, 3U);
  EXPECT_EQ(counts.shown_unattributed, 2U) << "without an op, and with an unknown one";
  EXPECT_EQ(counts.shown_without_op, 1U);
  EXPECT_EQ(counts.shown_in_steps, 2U);
}

TEST(Selection, ASumOfImpossibleTimesStopsAtTheLargest) {
  FakeSource source;
  for (int i = 0; i < 3; ++i) source.kernel("damaged", INT64_MAX - 1);
  WorkCounts counts;
  StepSet steps;
  Selection selection(source, {}, counts, steps);
  while (selection.next() != nullptr) {
  }
  EXPECT_EQ(counts.shown_kernel_ns, INT64_MAX);
}

TEST(Selection, CountsThroughAllTraces) {
  FakeSource source;
  source.kernel("k", 10);
  WorkCounts counts;
  StepSet steps;
  Selection selection(source, {}, counts, steps, 41);
  EXPECT_EQ(selection.next()->idx, 42U);
  EXPECT_EQ(selection.next(), nullptr);
  EXPECT_EQ(selection.last_idx(), 42U);
}

}  // namespace
}  // namespace prof::reports
