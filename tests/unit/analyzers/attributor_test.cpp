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

const AttributorOptions kAll{.work = TraceReader::Work::kKernelsAndCopies};

const std::string kNativeLinear =
    op_text("linear", "fprop", "x:in:32x4:float16 weight:in:8x4:float16 y:out:32x8:float16");
/// A module called with one tensor of that shape.
std::string call_text(std::string_view type, std::string_view shape) {
  return std::string(R"({"v":1,"mod":"prof","call":")")
      .append(type)
      .append(R"(","args":[{"name":"0","role":"in","type":"tensor","dtype":"float16","shape":[)")
      .append(shape)
      .append("]}]}");
}

const std::string kNativeRelu = op_text("relu", "fprop", "x:in:32x8:float16 y:out:32x8:float16");
constexpr double kLinearFlops = 2.0 * 8 * 32 * 4;
constexpr double kReluFlops = 32 * 8;

TEST(Attributor, EmptyTrace) {
  FakeTrace trace;
  AttributionCounts counts;
  EXPECT_TRUE(attribute(trace, {}, &counts).empty());
  EXPECT_EQ(counts.kernels, 0U);
}

TEST(Attributor, OneKernelOfOneOp) {
  FakeTrace trace;
  trace.push("step:5");
  trace.push("layer:MLP");
  const RangeId op = trace.push(kNativeLinear);
  trace.kernel("nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_NNN", 700);
  AttributionCounts counts;
  const auto seen = attribute(trace, {}, &counts);
  ASSERT_EQ(seen.size(), 1U);
  const Attribution& got = seen[0].attribution;
  EXPECT_EQ(got.op->layer, "MLP");
  EXPECT_EQ(got.op->op, "linear");
  EXPECT_EQ(got.op->params, "M=8,N=32,K=4");
  EXPECT_EQ(got.op_id, op);
  EXPECT_EQ(got.step, 5);
  EXPECT_EQ(got.sub, 0U);
  EXPECT_TRUE(got.main);
  EXPECT_DOUBLE_EQ(got.share, 1);
  EXPECT_EQ(got.cost.flops, kLinearFlops);
  EXPECT_EQ(got.kernel->tensor_core, TensorCore::kYes);
  EXPECT_EQ(got.kernel->short_name, "nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_NNN");
  EXPECT_EQ(counts.kernels, 1U);
  EXPECT_EQ(counts.unattributed, 0U);
}

TEST(Attributor, SplitKernelsShareOnce) {
  FakeTrace trace;
  trace.push("layer:L");
  trace.push(kNativeLinear);
  trace.memset(64);
  trace.kernel("nvjet_sm90_hsh_64x32_64x16_1x2_h_bz_splitK_NTT", 900);
  trace.kernel("void cublasLt::splitKreduce_kernel<32>(int)", 300);
  trace.pop();
  trace.push(kNativeRelu);
  trace.kernel("relu", 100);
  const auto seen = attribute(trace, kAll);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].attribution.op->op, "linear");
  EXPECT_EQ(seen[0].attribution.kernel, nullptr);
  EXPECT_FALSE(seen[0].attribution.main);
  EXPECT_EQ(seen[0].attribution.cost.flops, 0);
  EXPECT_EQ(seen[1].attribution.cost.flops, kLinearFlops);
  EXPECT_FALSE(seen[2].attribution.main);
  EXPECT_EQ(seen[2].attribution.cost.flops, 0);
  EXPECT_EQ(seen[2].attribution.op_id, seen[1].attribution.op_id);
  EXPECT_EQ(seen[3].attribution.cost.flops, kReluFlops);
  EXPECT_EQ(attribute(trace)[0].attribution.cost.flops, kLinearFlops) << "the same without copies";
}

TEST(Attributor, AReductionNamedLikeItsProductIsAHelper) {
  // As recorded: both parts of a split product bear its name.
  constexpr std::string_view kProduct =
      "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_"
      "alignc4_execute_kernel__5x_cublas";
  constexpr std::string_view kReduction =
      "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_"
      "alignc4_execute_split_k_kernel__5x_cublas";
  FakeTrace trace;
  trace.push("layer:L");
  trace.push(kNativeLinear);
  trace.kernel(kProduct, 900);
  trace.kernel(kReduction, 300);
  const auto seen = attribute(trace);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0].attribution.main);
  EXPECT_EQ(seen[0].attribution.cost.flops, kLinearFlops);
  EXPECT_EQ(seen[0].attribution.kernel->split_k, true) << "the reduction tells";
  EXPECT_FALSE(seen[1].attribution.main);
  EXPECT_EQ(seen[1].attribution.cost.flops, 0);
  EXPECT_EQ(seen[1].attribution.kernel->family, "cublas/splitk_reduce");
}

TEST(Attributor, CopiesAreAttributedLikeKernels) {
  FakeTrace trace;
  trace.push("step:1");
  trace.push("layer:Input");
  trace.push(op_text("copy", "fprop", "src:in:100:float32 dst:out:100:float32"));
  trace.memcpy(400);
  AttributionCounts counts;
  const auto seen = attribute(trace, kAll, &counts);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].attribution.op->layer, "Input");
  EXPECT_EQ(seen[0].attribution.op->direction, Direction::kFprop);
  EXPECT_EQ(seen[0].attribution.cost.bytes, 800);
  EXPECT_TRUE(seen[0].attribution.main);
  EXPECT_EQ(counts.copies, 1U);
  EXPECT_EQ(counts.kernels, 0U);
  EXPECT_TRUE(attribute(trace).empty());
}

TEST(Attributor, WorkWithoutAnOpHasTheShapesOfTheInnermostModuleCall) {
  FakeTrace trace;
  trace.push("Net");
  trace.push(call_text("Net", "2,3"));
  trace.push("layer:fc");
  trace.push(call_text("Linear", "32,4"));
  trace.kernel("gemm");  // 0
  trace.memcpy(64);      // 1
  trace.push(kNativeLinear);
  trace.push(call_text("Inside", "7"));  // a stated op owns what is inside
  trace.kernel("gemm");                  // 2
  for (int i = 0; i < 4; ++i) trace.pop();
  trace.push("layer:head");  // called without a tensor
  trace.kernel("head");      // 3
  trace.pop();
  trace.kernel("rest");  // 4
  AttributionCounts counts;
  const auto seen = attribute(trace, kAll, &counts);
  ASSERT_EQ(seen.size(), 5U);
  const auto shapes = [&](std::size_t i) {
    std::vector<Shape> all;
    for (const Tensor& tensor : seen[i].attribution.op->tensors) all.push_back(tensor.shape);
    return all;
  };
  using Shapes = std::vector<Shape>;
  EXPECT_EQ(shapes(0), (Shapes{{32, 4}}));
  EXPECT_EQ(seen[0].attribution.op->tensors[0].dtype, DType::kFloat16);
  EXPECT_EQ(seen[0].attribution.op->shapes_from, Provenance::kInherited);
  EXPECT_EQ(seen[0].attribution.op->layer, "fc");
  EXPECT_TRUE(seen[0].attribution.op->op.empty());
  EXPECT_EQ(seen[0].attribution.op_id, 0U);
  EXPECT_FALSE(seen[0].attribution.cost.flops || seen[0].attribution.cost.bytes);
  EXPECT_EQ(shapes(1), (Shapes{{32, 4}}));
  EXPECT_EQ(shapes(2), (Shapes{{32, 4}, {8, 4}, {32, 8}})) << "the op's own";
  EXPECT_EQ(seen[2].attribution.op->shapes_from, Provenance::kExact);
  EXPECT_EQ(seen[2].attribution.cost.flops, kLinearFlops);
  EXPECT_EQ(shapes(3), Shapes{});
  EXPECT_EQ(shapes(4), (Shapes{{2, 3}}));
  EXPECT_EQ(seen[4].attribution.op->layer, "Net");
  EXPECT_EQ(counts.unattributed, 3U) << "shapes are no op";
}

TEST(Attributor, EveryOpeningIsAnInstance) {
  FakeTrace trace;
  trace.push("layer:L");
  for (int i = 0; i < 3; ++i) {
    trace.push(kNativeRelu);
    trace.kernel("relu");
    trace.pop();
  }
  const auto seen = attribute(trace);
  ASSERT_EQ(seen.size(), 3U);
  for (const AttributedRow& s : seen) {
    EXPECT_EQ(s.attribution.cost.flops, kReluFlops);
    EXPECT_EQ(s.attribution.sub, 0U);
  }
  EXPECT_NE(seen[0].attribution.op_id, seen[1].attribution.op_id);
  EXPECT_EQ(seen[0].attribution.op, seen[2].attribution.op) << "made once";
}

TEST(Attributor, NestedOpsEachHaveTheirCost) {
  FakeTrace trace;
  trace.push(kNativeLinear);
  trace.kernel("a", 900);
  trace.push(kNativeRelu);
  trace.kernel("b", 100);
  trace.pop();
  trace.kernel("c", 100);
  trace.set_grid("c", {3, 1, 1});  // three times the threads, whatever the time
  trace.pop();
  trace.kernel("d");
  const auto seen = attribute(trace);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].attribution.cost.flops, kLinearFlops / 4);
  EXPECT_EQ(seen[1].attribution.cost.flops, kReluFlops);
  EXPECT_EQ(seen[2].attribution.cost.flops, kLinearFlops * 3 / 4);
  EXPECT_EQ(seen[2].attribution.op_id, seen[0].attribution.op_id);
  EXPECT_FALSE(seen[3].attribution.cost.flops);
  EXPECT_EQ(seen[3].attribution.op_id, 0U);
}

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

TEST(Attributor, UnknownOpIsShownAndCounted) {
  FakeTrace trace;
  trace.push("step:1");
  trace.push("layer:L");
  trace.push(op_text("frobnicate", "fprop", "x:in:4:float16"));
  trace.kernel("k");
  trace.kernel("k");
  AttributionCounts counts;
  const auto seen = attribute(trace, {}, &counts);
  EXPECT_EQ(seen[0].attribution.op->op, "frobnicate");
  EXPECT_FALSE(seen[0].attribution.op->known_op);
  EXPECT_FALSE(seen[0].attribution.cost.flops);
  EXPECT_EQ(counts.of_unknown_op, 2U);
  EXPECT_EQ(counts.unattributed, 2U);
  EXPECT_EQ(counts.unattributed_in_steps, 2U);
  EXPECT_EQ(counts.without_op, 0U);
  EXPECT_EQ(counts.unknown_ops.at("frobnicate"), 2U);
}

TEST(Attributor, WhatIsMissingIsCounted) {
  FakeTrace trace;
  trace.kernel("no stack at all");
  trace.push("layer:L");
  trace.kernel("no op");
  trace.push(op_text("mul", "", "x:in:4:float16 y:out:4:float16"));
  trace.kernel("no direction");
  trace.pop();
  trace.pop();
  trace.push(kNativeRelu);
  trace.kernel("no layer");
  trace.orphan("no launch");
  AttributionCounts counts;
  const auto seen = attribute(trace, {}, &counts);
  EXPECT_EQ(counts.kernels, 5U);
  EXPECT_EQ(counts.without_layer, 3U);
  EXPECT_EQ(counts.without_op, 3U);
  EXPECT_EQ(counts.without_direction, 4U);
  EXPECT_EQ(counts.without_launch, 1U);
  EXPECT_EQ(counts.unattributed, 5U);
  EXPECT_EQ(counts.unattributed_in_steps, 0U);
  EXPECT_FALSE(seen[0].attribution.step);
  EXPECT_EQ(seen[4].attribution.op_id, 0U);
}

TEST(Attributor, MalformedOpsAreCounted) {
  FakeTrace trace;
  trace.push(R"({"v":1,"mod":"prof","op":7})");
  trace.kernel("k");
  AttributionCounts counts;
  attribute(trace, {}, &counts);
  EXPECT_EQ(counts.malformed_op_texts, 1U);
  EXPECT_EQ(counts.without_op, 1U);
  EXPECT_EQ(counts.first_malformed_text, R"({"v":1,"mod":"prof","op":7})");
}

TEST(Attributor, AliasedOpStaysOneInstance) {
  FakeTrace trace;
  trace.push("layer:gone");
  const RangeId op = trace.push(kNativeRelu);
  trace.kernel("a", 100);
  trace.pop_below(1);
  trace.kernel("b", 100);
  const auto seen = attribute(trace);
  EXPECT_EQ(seen[0].attribution.op_id, op);
  EXPECT_EQ(seen[1].attribution.op_id, op);
  EXPECT_EQ(*seen[0].attribution.cost.flops + *seen[1].attribution.cost.flops, kReluFlops);
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
