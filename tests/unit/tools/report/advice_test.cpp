// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of advice, on steps that are stated here. How right their gains are, tests/gpu/removals.py
// measures.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tools/report/advice_steps.hpp"
#include "tools/report/advice/advisor.hpp"
#include "tools/report/filter/where.hpp"

namespace prof::reports {
namespace {

double middle(const Gain& gain) { return (gain.low_ns + gain.high_ns) / 2; }

TEST(Advice, NothingIsSaidWithoutEvidence) {
  EXPECT_TRUE(advise(step()).empty());
  StepFacts facts = step();
  facts.groups.push_back(product(DType::kBFloat16, {4096, 4096, 4096}, 0.3 * kMs));
  facts.groups.push_back(kernels("adamw", "aten::_fused_adamw_", Direction::kUpdate, 4, 1 * kMs));
  EXPECT_TRUE(advise(facts).empty());
}

TEST(Advice, GainsAreToldWithinAFactorOfTwo) {
  StepFacts facts = step();
  facts.host_ns = 25 * kMs;
  facts.way_ns = 20 * kMs;
  facts.period_ns = 25 * kMs;
  facts.step.work.launches = 100;
  facts.step.idle_ns[IdleCause::kLaunch] = 12'000'000;
  facts.step.idle_ns[IdleCause::kHost] = 3'000'000;
  facts.step.idle_stretches[IdleCause::kHost] = 1;
  facts.step.idle_steps[IdleCause::kHost] = 1;
  const auto all = advise(facts);
  EXPECT_GE(all.size(), 2U);
  for (const Advice& advice : all) {
    EXPECT_GT(advice.gain.low_ns, 0) << advice.rule;
    EXPECT_LE(advice.gain.high_ns, 2.001 * advice.gain.low_ns) << advice.rule;
    EXPECT_LE(advice.gain.high_ns, facts.period_ns) << advice.rule;
  }
  EXPECT_TRUE(std::ranges::is_sorted(
      all, std::greater{}, [](const Advice& a) { return a.gain.low_ns + a.gain.high_ns; }));
}

TEST(Advice, AGainBelowOnePercentIsNotSaid) {
  StepFacts facts = step();
  facts.step.idle_steps[IdleCause::kAllocate] = 1;
  facts.step.idle_ns[IdleCause::kAllocate] = 100'000;
  EXPECT_EQ(by(advise(facts), "allocation"), nullptr);
  facts.step.idle_ns[IdleCause::kAllocate] = 1'000'000;
  EXPECT_NE(by(advise(facts), "allocation"), nullptr);
}

TEST(Advice, WhatTheHostNeedsLimitsTheGain) {
  StepFacts facts = step();
  EXPECT_DOUBLE_EQ(facts.gain_ns(2 * kMs, 0), 2 * kMs);
  EXPECT_DOUBLE_EQ(facts.gain_ns(8 * kMs, 0), 5 * kMs) << "then the GPU waits for the host";
  EXPECT_DOUBLE_EQ(facts.gain_ns(8 * kMs, 2 * kMs), 7 * kMs);
  facts.host_ns = facts.period_ns = 12 * kMs;
  EXPECT_DOUBLE_EQ(facts.gain_ns(2 * kMs, 0), 0);
}

TEST(Advice, ProductsInFloat32) {
  StepFacts facts = step();
  facts.groups.push_back(product(DType::kFloat32, {4096, 4096, 4096}, 3 * kMs));
  const auto all = advise(facts);
  const Advice* const told = by(all, "fp32_products");
  ASSERT_NE(told, nullptr);
  // 137 GFLOP at 495 TFLOP/s of TF32, at 30 to 65 % of it: 0.93 to 0.43 ms.
  EXPECT_NEAR(middle(told->gain), 3 * kMs - 0.677 * kMs, 0.01 * kMs);
  EXPECT_NEAR(told->gain.high_ns / told->gain.low_ns, 1.25 / 0.75, 1e-6) << "never told closer";
  facts.groups[0].tensor_core = TensorCore::kYes;
  EXPECT_TRUE(advise(facts).empty());
}

TEST(Advice, UnalignedSizesReachWhatAlignedOnesDo) {
  StepFacts facts = step();
  facts.groups.push_back(product(DType::kBFloat16, {50257, 4096, 768}, 4 * kMs));
  facts.groups.push_back(product(DType::kBFloat16, {50304, 4096, 768}, 0.45 * kMs));
  const auto all = advise(facts);
  const Advice* const told = by(all, "alignment");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->what, "pad 50257 to 50304");
  EXPECT_NEAR(middle(told->gain), 3.5 * kMs, 0.1 * kMs);
  facts.groups.erase(facts.groups.begin());
  EXPECT_EQ(by(advise(facts), "alignment"), nullptr);
}

TEST(Advice, AttentionInOpsOfItsOwn) {
  StepFacts facts = step();
  const std::vector<std::int64_t> scores = {8, 12, 512, 512};
  WorkGroup one = product(DType::kBFloat16, {512, 512, 64, 96}, 0.1 * kMs);
  WorkGroup other = product(DType::kBFloat16, {64, 512, 512, 96}, 0.1 * kMs);
  one.op = other.op = "matmul";
  facts.groups = {one,
                  over(scores, kernels("softmax", "aten::_softmax", Direction::kFprop, 1, kMs)),
                  other, product(DType::kBFloat16, {2304, 4096, 768}, 0.05 * kMs)};
  const auto all = advise(facts);
  const Advice* const told = by(all, "attention");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->where, "h.0");
  EXPECT_NE(told->evidence.find("3 kernels"), std::string::npos) << told->evidence;
  EXPECT_NEAR(middle(told->gain), 1.15 * kMs, 0.05 * kMs);
  StepFacts without = facts;
  without.groups.erase(without.groups.begin() + 1);
  EXPECT_EQ(by(advise(without), "attention"), nullptr) << "no softmax";
  without = facts;
  without.groups.erase(without.groups.begin() + 2);
  EXPECT_EQ(by(advise(without), "attention"), nullptr) << "no product with values";
  facts.groups.push_back(
      over({8, 512, 768}, kernels("layer_norm", "aten::layer_norm", Direction::kFprop, 1, kMs)));
  EXPECT_EQ(by(advise(facts), "attention")->evidence.find("4 kernels"), std::string::npos)
      << "a norm in the layer is not attention's";
}

TEST(Advice, WhatShowsTheRowsIsQuoted) {
  StepFacts facts = step();
  WorkGroup one = product(DType::kBFloat16, {512, 512, 64, 96}, 0.1 * kMs);
  WorkGroup softmax =
      over({8, 12, 512, 512}, kernels("softmax", "aten::_softmax", Direction::kFprop, 1, 2 * kMs));
  WorkGroup other = product(DType::kBFloat16, {64, 512, 512, 96}, 0.1 * kMs);
  one.op = other.op = "matmul";
  one.layer = other.layer = softmax.layer = R"(a'b"$(c))";
  facts.groups = {one, softmax, other};
  facts.step.steps = {{{}, 3}, {{}, 4}, {{}, 5}};
  facts.step.has_steps = true;
  const auto all = advise(facts);
  ASSERT_NE(by(all, "attention"), nullptr);
  EXPECT_EQ(by(all, "attention")->show,
            R"x(kernels --where "(layer GLOB 'a''b\"\$(c)') AND op IN ('matmul', 'softmax')")x"
            " --step 4");
}

TEST(Advice, WhatShowsTheRowsSelectsLayersInBrackets) {
  StepFacts facts = step();
  WorkGroup one = product(DType::kBFloat16, {512, 512, 64, 96}, 0.1 * kMs);
  WorkGroup softmax =
      over({8, 12, 512, 512}, kernels("softmax", "aten::_softmax", Direction::kFprop, 1, 2 * kMs));
  WorkGroup other = product(DType::kBFloat16, {64, 512, 512, 96}, 0.1 * kMs);
  one.op = other.op = "matmul";
  one.layer = other.layer = softmax.layer = "blk[0]?";
  facts.groups = {one, softmax, other};
  const auto all = advise(facts);
  ASSERT_NE(by(all, "attention"), nullptr);
  const std::string& show = by(all, "attention")->show;
  const std::string condition =
      show.substr(show.find('"') + 1, show.rfind('"') - show.find('"') - 1);
  const std::vector<Column> columns = {Column::text("layer", "", ""), Column::text("op", "", "")};
  const auto where = Where::make(std::vector{condition}, columns);
  ASSERT_TRUE(where) << condition;
  const auto holds = [&](std::string_view layer) {
    return (*where)->holds(std::vector<Cell>{text(layer), text("matmul")});
  };
  EXPECT_TRUE(holds("blk[0]?")) << condition;
  EXPECT_FALSE(holds("blk0?"));
  EXPECT_FALSE(holds("blk[0]x"));
}

TEST(Advice, ManyPausesAreTheProgramsOwn) {
  StepFacts facts = step();
  facts.step.idle_ns[IdleCause::kHost] = 2'000'000;
  facts.step.idle_stretches[IdleCause::kHost] = 1;
  EXPECT_EQ(by(advise(facts), "loading"), nullptr) << "in few steps";
  facts.step.idle_steps[IdleCause::kHost] = 1;
  EXPECT_NE(by(advise(facts), "loading"), nullptr);
  facts.step.idle_stretches[IdleCause::kHost] = 9;
  EXPECT_EQ(by(advise(facts), "loading"), nullptr);
}

TEST(Advice, OnlyWhatTheProgramZeroesIsToldOfZeroing) {
  StepFacts facts = step();
  WorkGroup workspace = kernels("linear", "aten::addmm", Direction::kFprop, 9, kMs);
  workspace.kind = GpuRow::Kind::kMemset;
  facts.groups = {workspace};
  EXPECT_TRUE(advise(facts).empty());
  facts.groups.push_back(kernels("zero", "aten::_foreach_zero_", Direction::kUpdate, 2, kMs));
  const auto all = advise(facts);
  ASSERT_NE(by(all, "zeroing"), nullptr);
  EXPECT_EQ(by(all, "zeroing")->evidence, "1.00 ms in 2 buffers set to zero");
}

/// 100 launches take the host 9 of 10 ms, while the GPU has work for 2.
StepFacts launch_bound() {
  StepFacts facts = step();
  facts.gpu_ns = 2 * kMs;
  facts.host_ns = 10 * kMs;
  facts.way_ns = 9 * kMs;
  facts.step.has_steps = true;
  facts.step.steps = {{{}, 1}};
  facts.step.work.kernels = facts.step.work.launches = 100;
  facts.step.state_ns[0] = 2'000'000;
  facts.step.idle_ns[IdleCause::kLaunch] = 5'000'000;
  facts.step.idle_ns[IdleCause::kPython] = 2'500'000;
  facts.step.idle_ns[IdleCause::kCompile] = 500'000;
  return facts;
}

TEST(Advice, AGraphGainsWhatLaunchesCost) {
  StepFacts facts = launch_bound();
  const auto all = advise(facts);
  const Advice* const told = by(all, "launch_bound");
  ASSERT_NE(told, nullptr);
  EXPECT_DOUBLE_EQ(told->gain.high_ns, 7.5 * kMs) << "what is idle for launches, no more";
  facts.step.idle_ns[IdleCause::kHost] = 400'000;
  EXPECT_GT(by(advise(facts), "launch_bound")->gain.high_ns, told->gain.high_ns)
      << "a graph may do without what nothing tells";
  facts.step.idle_ns.erase(IdleCause::kHost);
  EXPECT_TRUE(ruled_out(facts).empty());
  // Where the host does something else for 6 ms, no graph removes that.
  facts.way_ns = 4 * kMs;
  facts.step.idle_ns[IdleCause::kLaunch] = 1'000'000;
  facts.step.idle_ns[IdleCause::kCompile] = 5'000'000;
  facts.step.idle_steps[IdleCause::kCompile] = 1;
  const auto compiling = advise(facts);
  EXPECT_EQ(compiling.front().rule, "compiling");
  EXPECT_LE(by(compiling, "launch_bound")->gain.high_ns, 3.5 * kMs);
}

TEST(Advice, WhatRulesOutAGraph) {
  StepFacts facts = launch_bound();
  facts.graph_kernels = 60;
  EXPECT_EQ(by(advise(facts), "launch_bound"), nullptr);
  const auto reasons = ruled_out(facts);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_NE(reasons[0].find("graphs launch 60 of 100 kernels already"), std::string::npos);
  // What is left to do is advised, without a gain.
  const auto expect_ruled_out = [](const StepFacts& of, std::string_view why) {
    const auto all = advise(of);
    const Advice* const left = by(all, "launch_bound");
    ASSERT_NE(left, nullptr) << why;
    EXPECT_EQ(left->what, "launch fewer kernels");
    EXPECT_FALSE(left->is_gain_known);
    EXPECT_NE(left->evidence.find(why), std::string::npos) << left->evidence;
    EXPECT_TRUE(ruled_out(of).empty()) << why;
  };
  facts = launch_bound();
  facts.waits_amid = 3;
  expect_ruled_out(facts, "waits for data amid a step, 3 times");
  facts.waits_amid = 1;
  const auto all = advise(facts);
  ASSERT_NE(by(all, "launch_bound"), nullptr) << "50 launches are worth a graph";
  EXPECT_NE(by(all, "launch_bound")->evidence.find("between waits"), std::string::npos);
  facts = launch_bound();
  facts.changing_kernels = 6;
  expect_ruled_out(facts, "6 of 100 kernels");
  facts = launch_bound();
  facts.step.idle_steps[IdleCause::kAllocate] = 1;
  facts.step.idle_in_last.insert(IdleCause::kAllocate);
  expect_ruled_out(facts, "allocate memory");
  facts.step.idle_in_last.clear();
  const auto settled = advise(facts);
  EXPECT_TRUE(by(settled, "launch_bound")->is_gain_known) << "the allocator has settled";
}

TEST(Advice, WithoutStepsNothingIsGained) {
  StepFacts facts = launch_bound();
  EXPECT_FALSE(advise(facts).empty());
  facts.step.has_steps = false;
  EXPECT_TRUE(advise(facts).empty());
  EXPECT_TRUE(ruled_out(facts).empty());
}

TEST(Advice, AWaitGainsWhatGpuAndHostLoseToEachOther) {
  StepFacts facts = step();
  facts.step.idle_ns[IdleCause::kSynchronize] = 3'000'000;
  EXPECT_EQ(by(advise(facts), "synchronize"), nullptr) << "the GPU is busy all the time";
  facts.gpu_ns = 8 * kMs;
  const auto all = advise(facts);
  ASSERT_NE(by(all, "synchronize"), nullptr);
  EXPECT_LE(by(all, "synchronize")->gain.high_ns, 2 * kMs);
}

TEST(Advice, CopiesThatArePinnedForNothing) {
  StepFacts facts = step();
  facts.step.state_ns[static_cast<std::size_t>(DeviceState::kCopying)] = 1'000'000;
  WorkGroup copies = kernels("to", "aten::copy_", Direction::kFprop, 17, kMs);
  copies.kind = GpuRow::Kind::kMemcpy;
  copies.source = MemoryKind::kPageable;
  copies.destination = MemoryKind::kDevice;
  copies.bytes = 136;
  facts.groups = {copies};
  EXPECT_EQ(by(advise(facts), "pageable"), nullptr);
  facts.groups[0].bytes = 17e6;
  const auto all = advise(facts);
  ASSERT_NE(by(all, "pageable"), nullptr);
  EXPECT_EQ(by(all, "pageable")->what, "copy from pinned memory");
}

TEST(Advice, CopiesToTheHostAreNoLoader) {
  StepFacts facts = step();
  facts.step.state_ns[static_cast<std::size_t>(DeviceState::kCopying)] = 2'000'000;
  WorkGroup copies = kernels("to", "aten::copy_", Direction::kFprop, 4, 2 * kMs);
  copies.kind = GpuRow::Kind::kMemcpy;
  copies.source = MemoryKind::kDevice;
  copies.destination = MemoryKind::kPageable;
  copies.bytes = 17e6;
  facts.groups = {copies};
  const auto all = advise(facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].what, "copy to pinned memory");
  EXPECT_NE(all[0].show.find("memory_to = 'pageable'"), std::string::npos);
}

/// Kernels of an op that takes `gpu_ns` in each step, and by the roofline model `model_ns`.
WorkGroup modelled(std::string op, double count, double gpu_ns, double model_ns) {
  WorkGroup made = kernels(std::move(op), "", Direction::kBprop, count, gpu_ns);
  made.model_ns = model_ns;
  made.above_ns = gpu_ns - model_ns;
  return made;
}

TEST(Advice, TheOpWithMostHeadroomIsToBeTuned) {
  StepFacts facts = step();
  facts.groups = {modelled("linear", 10, 4 * kMs, 0.5 * kMs),
                  modelled("embedding", 50, 2 * kMs, 0.2 * kMs),
                  modelled("index", 50, 2 * kMs, 0.4 * kMs)};
  facts.groups[0].is_product = true;
  const auto all = advise(facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].what, "tune embedding bprop");
  EXPECT_GT(all[0].gain.low_ns, 1 * kMs);
  EXPECT_LE(all[0].gain.high_ns, 1.8 * kMs);
}

TEST(Advice, KernelsThatCannotBeFasterAreNotTuned) {
  StepFacts facts = step();
  facts.groups = {modelled("linear", 10, 4 * kMs, 2 * kMs)};  // 50 % of the roofline
  EXPECT_TRUE(advise(facts).empty());
  facts.groups = {modelled("add", 1000, 2 * kMs, 0.01 * kMs)};  // 2 us each
  EXPECT_TRUE(advise(facts).empty());
  facts.groups = {modelled("add", 50, 2 * kMs, 0.01 * kMs)};
  EXPECT_FALSE(advise(facts).empty());
  facts.host_ns = 10 * kMs;  // The host needs as long.
  EXPECT_TRUE(advise(facts).empty());
}

TEST(Advice, Tf32ThatIsOnAlready) {
  StepFacts facts = step();
  facts.groups.push_back(product(DType::kFloat32, {4096, 4096, 4096}, 3 * kMs));
  facts.groups.push_back(product(DType::kFloat32, {4096, 4096, 4096}, 1 * kMs));
  facts.groups[1].tensor_core = TensorCore::kYes;
  EXPECT_EQ(by(advise(facts), "fp32_products"), nullptr);
  facts.groups[1].op = "conv2d";
  EXPECT_NE(by(advise(facts), "fp32_products"), nullptr) << "that is another switch";
}

TEST(Advice, OnlyAdamHasAFusedForm) {
  StepFacts facts = step();
  WorkGroup addcdiv = kernels("rmsprop", "aten::addcdiv_", Direction::kUpdate, 100, kMs);
  addcdiv.bytes = 1e9;
  facts.groups = {addcdiv,
                  kernels("sparseadam", "aten::_coalesce", Direction::kUpdate, 100, 3 * kMs)};
  EXPECT_EQ(by(advise(facts), "optimizer"), nullptr);
  facts.groups[0].op = "adam";
  facts.groups.push_back(
      kernels("_foreach_norm", "aten::_foreach_norm", Direction::kUpdate, 10, 2 * kMs));
  const auto all = advise(facts);
  ASSERT_NE(by(all, "optimizer"), nullptr);
  EXPECT_EQ(by(all, "optimizer")->evidence, "1.00 ms in 100 kernels of the optimizer");
}

TEST(Advice, GatheringIsNotFused) {
  StepFacts facts = step();
  const std::vector<std::int64_t> shape = {8, 512, 768};
  const auto chain = [&](std::string op) {
    return over(shape, kernels(std::move(op), "aten::x", Direction::kFprop, 1, kMs));
  };
  facts.groups = {chain("pow"), chain("mean"), chain("mul")};
  EXPECT_NE(by(advise(facts), "elementwise"), nullptr);
  facts.groups.push_back(chain("scatter_add"));
  EXPECT_EQ(by(advise(facts), "elementwise"), nullptr);
}

TEST(Advice, AnOptimizerOfManyKernels) {
  StepFacts facts = step();
  WorkGroup addcdiv = kernels("adamw", "aten::addcdiv_", Direction::kUpdate, 100, kMs);
  addcdiv.bytes = 1e9;
  facts.groups = {addcdiv, kernels("adamw", "aten::mul_", Direction::kUpdate, 100, 3 * kMs)};
  const auto all = advise(facts);
  const Advice* const told = by(all, "optimizer");
  ASSERT_NE(told, nullptr);
  // 1.75 GB at 4.8 TB/s, at 45 to 90 % of it: 0.81 to 0.41 ms.
  EXPECT_NEAR(middle(told->gain), 4 * kMs - 0.61 * kMs, 0.01 * kMs);
  facts.groups[0].bytes = 0;
  EXPECT_TRUE(advise(facts).empty()) << "how much it moves is not known";
}

/// 20 casts of 1 ms for a product, with a norm that converts 2 ms more and works in float32.
StepFacts autocast(const std::string& op_of_other_casts) {
  StepFacts facts = step();
  facts.groups.push_back(product(DType::kBFloat16, {4096, 4096, 4096}, 0.3 * kMs));
  WorkGroup casts = kernels("linear", "aten::copy_", Direction::kFprop, 20, 1 * kMs);
  casts.dtype = DType::kFloat32;
  facts.groups.push_back(casts);
  WorkGroup others = kernels(op_of_other_casts, "aten::copy_", Direction::kFprop, 2, 2 * kMs);
  others.dtype = DType::kBFloat16;
  others.operand = DType::kFloat32;
  facts.groups.push_back(others);
  return facts;
}

TEST(Advice, CastsThatAutocastMakes) {
  const auto all = advise(autocast("layer_norm"));
  const Advice* found = by(all, "casts");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(middle(found->gain), 0.85 * 3 * kMs, 0.01 * kMs);
}

TEST(Advice, CastsOfTheProgramAreWorkWithHalfTheBytesAtMost) {
  const auto all = advise(autocast("to"));
  const Advice* found = by(all, "casts");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->gain.low_ns, (0.7 + 0.25 * 2) * kMs, 0.01 * kMs);
  EXPECT_NEAR(found->gain.high_ns, (1 + 0.5 * 2) * kMs, 0.01 * kMs);
}

TEST(Advice, ForwardOpsThatRunAgain) {
  StepFacts facts = step();
  WorkGroup again = product(DType::kBFloat16, {1024, 1024, 1024}, kMs);
  again.direction = Direction::kBprop;
  facts.groups = {product(DType::kBFloat16, {1024, 1024, 1024}, kMs), again};
  EXPECT_EQ(by(advise(facts), "recompute"), nullptr) << "a product of any backward pass";
  again.is_recomputed = true;
  facts.groups.push_back(again);
  const auto all = advise(facts);
  const Advice* const told = by(all, "recompute");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->evidence, "1.00 ms in 1 kernel of the forward pass that runs again");
  EXPECT_NEAR(middle(told->gain), 0.9 * kMs, 0.01 * kMs);
}

/// A step with 4 ms of products on a GPU that was sampled ten times, five times at 1320 of 1980
/// MHz.
StepFacts step_at_clocks(std::uint64_t reasons, double power_w) {
  StepFacts facts = step();
  facts.device.name = "NVIDIA H200";
  facts.device.core_clock_khz = 1'980'000;
  facts.groups.push_back(product(DType::kBFloat16, {4096, 4096, 65536}, 4 * kMs));
  for (std::uint32_t i = 0; i < 10; ++i) {
    const bool is_held = i % 2 == 0;
    facts.clocks.push_back({.time_ns = i,
                            .sm_mhz = is_held ? 1320 : 1980,
                            .memory_mhz = {},
                            .power_mw = static_cast<std::uint32_t>(power_w * 1e3),
                            .reasons = is_held ? reasons : 0});
  }
  return facts;
}

TEST(Advice, ClocksThatHeatHoldsDown) {
  StepFacts facts = step_at_clocks(0x20 | 0x04, 400);
  const auto all = advise(facts);
  ASSERT_EQ(all.size(), 1U) << "the gravest reason alone";
  EXPECT_EQ(all[0].rule, "throttled");
  EXPECT_EQ(all[0].what, "cool the GPU");
  EXPECT_NE(all[0].evidence.find("1320 of 1980 MHz by its temperature in 5 of 10 samples"),
            std::string::npos)
      << all[0].evidence;
  EXPECT_EQ(all[0].show, "clocks");
  // 4 ms take a third less at the highest clock, in half of the samples, and half to all of that.
  EXPECT_NEAR(middle(all[0].gain), 0.75 * 4 * kMs / 6, 1);
  facts.groups[0].memory_ns = 3 * kMs;
  EXPECT_TRUE(advise(facts).empty()) << "work that waits for memory does not follow the clock";
  facts.groups[0].memory_ns = 0;
  facts.groups[0].computed_ns = 20 * kMs;
  EXPECT_TRUE(advise(facts).empty()) << "nor does what waits for something else";
}

TEST(Advice, ClocksThatAreNotHeldDown) {
  EXPECT_TRUE(advise(step_at_clocks(0, 700)).empty());
  EXPECT_TRUE(advise(step_at_clocks(0x02, 400)).empty()) << "set by an application";
  StepFacts few = step_at_clocks(0x08, 400);
  ASSERT_EQ(advise(few).size(), 1U);
  few.clocks.resize(4);
  EXPECT_TRUE(advise(few).empty()) << "two samples are few";
  StepFacts unknown = step_at_clocks(0x08, 400);
  unknown.device.core_clock_khz = 0;
  EXPECT_TRUE(advise(unknown).empty());
}

TEST(Advice, APowerCapBelowThePowerOfTheBoard) {
  const auto all = advise(step_at_clocks(0x04, 400));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].what, "raise the power cap");
  EXPECT_TRUE(advise(step_at_clocks(0x04, 690)).empty()) << "an H200 at its 700 W";
  StepFacts other = step_at_clocks(0x04, 100);
  other.device.name = "NVIDIA X";
  EXPECT_TRUE(advise(other).empty()) << "what it is built for is not known";
}

/// A kernel of 1 ms that reaches a fifth of the memory's bandwidth, with 8 warps of 64.
WorkGroup with_few_warps(double gpu_ns) {
  WorkGroup made = kernels("rms_norm", "aten::rms_norm", Direction::kFprop, 1, gpu_ns);
  made.kernel = "rms_norm_kernel";
  made.memory_ns = 0.2 * gpu_ns;
  made.compute_ns = 0.01 * gpu_ns;
  made.occupancy = devices::Occupancy{
      .room = {8, 32, 1, 4}, .warps_per_block = 8, .max_warps = 64};  // registers for one block
  made.fills_gpu = true;
  return made;
}

TEST(Advice, KernelsWithTooFewWarpsToHideLatency) {
  StepFacts facts = step();
  facts.device.sm_count = 132;
  facts.groups = {with_few_warps(1 * kMs)};
  const auto all = advise(facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, "occupancy");
  EXPECT_EQ(all[0].what, "let rms_norm_kernel hold more warps");
  // 4.8 TB/s for 300 ns, by 132 multiprocessors and 512 bytes: 21.3 warps.
  EXPECT_EQ(
      all[0].evidence,
      "1.00 ms in 1 kernel at 20 % of the memory's bandwidth, with 8 of 64 warps by registers; "
      "21 hide its latency");
  EXPECT_NEAR(middle(all[0].gain), 0.75 * kMs * (1 - 8 / 21.307), 0.01 * kMs);
}

TEST(Advice, KernelsThatNeedNoMoreWarps) {
  StepFacts facts = step();
  facts.device.sm_count = 132;
  const auto is_silent = [&](WorkGroup group) {
    facts.groups = {std::move(group)};
    return advise(facts).empty();
  };
  ASSERT_FALSE(is_silent(with_few_warps(1 * kMs)));
  WorkGroup group = with_few_warps(1 * kMs);
  group.occupancy->room[2] = 3;
  EXPECT_TRUE(is_silent(group)) << "24 warps hide it";
  group = with_few_warps(1 * kMs);
  group.memory_ns = 0.6 * kMs;
  EXPECT_TRUE(is_silent(group)) << "near enough to the memory's peak";
  group = with_few_warps(1 * kMs);
  group.compute_ns = 0.3 * kMs;
  EXPECT_TRUE(is_silent(group)) << "computes more than it moves";
  group = with_few_warps(1 * kMs);
  group.is_product_kernel = true;
  EXPECT_TRUE(is_silent(group)) << "few warps by design";
  group = with_few_warps(1 * kMs);
  group.is_collective = true;
  EXPECT_TRUE(is_silent(group)) << "waits for links";
  group = with_few_warps(1 * kMs);
  group.fills_gpu = false;
  EXPECT_TRUE(is_silent(group)) << "the grid is small, not the occupancy";
  group = with_few_warps(1 * kMs);
  group.count = 300;
  EXPECT_TRUE(is_silent(group)) << "3 us each";
  group = with_few_warps(1 * kMs);
  group.occupancy.reset();
  EXPECT_TRUE(is_silent(group));
  facts.device.sm_count = 0;
  EXPECT_TRUE(is_silent(with_few_warps(1 * kMs)));
}

TEST(Advice, BiasesBesideProducts) {
  StepFacts facts = step();
  WorkGroup sum = kernels("linear", "aten::sum", Direction::kBprop, 12, 0.6 * kMs);
  sum.is_product = true;
  sum.part = Part::kBias;
  WorkGroup add = kernels("conv2d", "aten::add_", Direction::kFprop, 6, 0.4 * kMs);
  add.is_product = true;
  facts.groups = {product(DType::kBFloat16, {4096, 4096, 4096}, 0.3 * kMs), add, sum};
  const auto all = advise(facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, "bias");
  EXPECT_EQ(all[0].evidence, "1.00 ms in 18 kernels that add biases or sum up their gradients");
  // All but a little of the additions, and most of the sums.
  EXPECT_NEAR(middle(all[0].gain), (0.9 * 0.4 + 0.7 * 0.6) * kMs, 1);
  EXPECT_EQ(all[0].show,
            R"x(kernels --where "part = 'bias' OR (dir = 'fprop' AND (layer GLOB 'h.0') AND )x"
            R"x(op IN ('conv2d') AND op_inner IN ('aten::add_'))" --step 0)x");
  facts.groups.erase(facts.groups.begin() + 1);
  EXPECT_TRUE(advise(facts).empty()) << "PyTorch offers nothing instead of the sums";
}

TEST(Advice, BiasesThatProductsAdd) {
  StepFacts facts = step();
  WorkGroup epilogue = product(DType::kBFloat16, {4096, 4096, 4096}, 0.4 * kMs);
  epilogue.part = Part::kBias;
  WorkGroup residual = kernels("add", "aten::add", Direction::kFprop, 12, 1 * kMs);
  WorkGroup weight = kernels("linear", "aten::sum", Direction::kBprop, 12, 1 * kMs);
  weight.is_product = true;
  weight.part = Part::kWeight;
  facts.groups = {epilogue, residual, weight};
  EXPECT_TRUE(advise(facts).empty());
}

}  // namespace
}  // namespace prof::reports
