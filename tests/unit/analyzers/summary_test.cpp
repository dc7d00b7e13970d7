// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/summary.hpp"

#include <gtest/gtest.h>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using testing::FakeTrace;
using testing::op_text;

TEST(Summary, ByLayerAndByOp) {
  FakeTrace trace;
  for (int step = 0; step < 2; ++step) {
    trace.push("layer:A");
    trace.push(
        op_text("linear", "fprop", "x:in:32x4:float16 weight:in:8x4:float16 y:out:32x8:float16"));
    trace.kernel("nvjet_sm90_hsh_a", 60);
    trace.kernel("void cublasLt::splitKreduce_kernel<1>(int)", 40);
    trace.pop();
    trace.push(op_text("relu", "bprop", "dy:in:8:float16 dx:out:8:float16"));
    trace.kernel("r", 5);
    trace.memset(4, 7);
    trace.pop();
    trace.pop();
    trace.push("layer:B");
    trace.push(op_text("mystery", "fprop", "x:in:8:float16"));
    trace.kernel("m", 11);
    trace.pop();
    trace.pop();
  }
  AttributedCursor cursor(trace, {.work = TraceReader::Work::kKernelsAndCopies});
  Summary layers(Summary::By::kLayer);
  Summary ops(Summary::By::kOp);
  while (const AttributedRow* item = cursor.next()) {
    layers.add(*item->row, *item->attribution);
    ops.add(*item->row, *item->attribution);
  }

  ASSERT_EQ(layers.rows().size(), 3U);
  const SummaryRow& forward = layers.rows()[0];
  EXPECT_EQ(forward.layer, "A");
  EXPECT_EQ(forward.direction, Direction::kFprop);
  EXPECT_EQ(forward.totals.kernels, 4U);
  EXPECT_EQ(forward.totals.ops, 2U);
  EXPECT_EQ(forward.totals.kernel_ns, 200);
  EXPECT_EQ(forward.totals.tensor_core_ns, 120);
  EXPECT_EQ(forward.totals.flops, 2 * 2 * 8 * 32 * 4);
  EXPECT_EQ(forward.totals.without_flops, 0U);
  const SummaryRow& backward = layers.rows()[1];
  EXPECT_EQ(backward.direction, Direction::kBprop);
  EXPECT_EQ(backward.totals.copies, 2U);
  EXPECT_EQ(backward.totals.copy_ns, 14);
  EXPECT_EQ(backward.totals.flops, 16);
  const SummaryRow& unknown = layers.rows()[2];
  EXPECT_EQ(unknown.layer, "B");
  EXPECT_FALSE(unknown.totals.flops) << "unknown is not 0";
  EXPECT_EQ(unknown.totals.without_flops, 2U);

  ASSERT_EQ(ops.rows().size(), 3U);
  EXPECT_EQ(ops.rows()[0].op, "linear");
  EXPECT_TRUE(ops.rows()[0].known_op);
  EXPECT_EQ(ops.rows()[2].op, "mystery");
  EXPECT_FALSE(ops.rows()[2].known_op);
  EXPECT_EQ(ops.totals().kernels, 8U);
  EXPECT_EQ(ops.totals().ops, 6U);
  EXPECT_EQ(ops.totals().flops, layers.totals().flops);
}

}  // namespace
}  // namespace prof
