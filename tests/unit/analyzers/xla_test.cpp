// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The payloads of XLA's ranges; cases/xla.txt has the ranges themselves.
#include <gtest/gtest.h>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

constexpr std::string_view kProgram =
    "XlaModule:#prefix=jit(train_step),hlo_module=jit_train_step,program_id=12#";

class Xla : public ::testing::Test {
 protected:
  RangeId push(std::string_view text) { return trace_.push(text, 1, domain_); }
  const OpAttribution& at(RangeId stack) {
    if (!contexts_) contexts_.emplace(trace_, StackWalker::kUsualEntries);
    contexts_->advance(INT64_MAX - 1);
    const StackMeaning meaning = contexts_->meaning(stack);
    return *contexts_->attribution(*meaning.attributed, DType::kUnknown);
  }
  /// A payload as XLA's, with the op's HLO and what it was fused from.
  void payload(RangeId range, std::string_view hlo, std::string_view called,
               std::string_view places = "\n") {
    constexpr std::uint64_t kSchema = 7;
    if (!has_schema_) {
      trace_.payload_schema_text(
          domain_, kSchema,
          R"([{"name":"Source locations","type":"registered_string","offset":0,"stored":"offset"},
              {"name":"HLO","type":"registered_string","offset":8,"array":0,"stored":"offset"},
              {"name":"Called HLO","type":"registered_string","offset":16,"stored":"offset"}])");
    }
    has_schema_ = true;
    std::string numbers, texts;
    for (const std::string_view text : {places, hlo, called}) {
      const std::uint64_t at = 24 + texts.size();
      for (unsigned shift = 0; shift < 64; shift += 8) numbers += static_cast<char>(at >> shift);
      texts.append(text).push_back('\0');
    }
    trace_.payload_bytes(range, kSchema, numbers + texts);
  }

  FakeTrace trace_;
  const DomainId domain_ = trace_.domain("TSL");
  std::optional<StackWalker> contexts_;
  bool has_schema_ = false;
};

TEST_F(Xla, HloHasTheSizesOfAProduct) {
  push(kProgram);
  const RangeId range = push("Thunk:#name=jvp(MLP)/fc_0,hlo_op=gemm_fusion_dot.1#");
  payload(
      range,
      "gemm_fusion_dot.1 = f32[512,1024]{1,0} fusion(p, q), kind=kCustom, calls=c, "
      "metadata={op_name=\"jit(train_step)/jvp(MLP)/fc_0/add\"}",
      "\nc {\n  p0 = bf16[512,384]{1,0} parameter(0)\n  p1 = bf16[384,1024]{1,0} parameter(1)\n"
      "  dot.3 = f32[512,1024]{1,0} dot(p0, p1), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, metadata={op_name=\"jit(train_step)/jvp(MLP)/fc_0/dot_general\"}\n"
      "  ROOT add.1 = f32[512,1024]{1,0} add(dot.3, dot.3), "
      "metadata={op_name=\"jit(train_step)/jvp(MLP)/fc_0/add\"}\n}\n",
      "\n- /w/train.py:9:3[step]\n-- /w/model.py:33[forward] dot_general\n");
  const OpAttribution& op = at(range);
  EXPECT_EQ(op.op, "dot_general");
  EXPECT_EQ(op.layer, "MLP:fc_0");
  EXPECT_EQ(op.params, "M=1024,N=512,K=384");
  EXPECT_EQ(op.dtype, DType::kBFloat16);
  EXPECT_EQ(op.cost.flops, 2.0 * 1024 * 512 * 384);
  EXPECT_EQ(op.cost.bytes, 2.0 * (512 * 384 + 384 * 1024) + 4.0 * 512 * 1024);
  EXPECT_EQ(op.cost.basis, Basis::kEstimated);
  EXPECT_EQ(op.trace, "/w/model.py:33");
}

TEST_F(Xla, WhatIsFusedToAProductDoesNotNameIt) {
  push(kProgram);
  const RangeId fused = push("Thunk:#hlo_op=gemm_fusion_dot.1#");
  payload(fused,
          "gemm_fusion_dot.1 = f32[4,8]{1,0} fusion(p), kind=kCustom, calls=c, "
          "metadata={op_name=\"jit(train_step)/sub\"}",
          "c {\n  p = f32[4,8]{1,0} parameter(0)\n  d = f32[4,8]{1,0} dot(p, q), "
          "metadata={op_name=\"jit(train_step)/transpose(jvp(MLP))/fc/dot_general\"}\n"
          "  ROOT s = f32[4,8]{1,0} subtract(p, d), "
          "metadata={op_name=\"jit(train_step)/sub\"}\n}\n");
  EXPECT_EQ(at(fused).op, "dot_general");
  EXPECT_EQ(at(fused).layer, "MLP:fc");
  EXPECT_EQ(at(fused).direction, Direction::kBprop);
  EXPECT_FALSE(at(fused).gemm) << "one of its operands is not stated";
  trace_.pop();
  const RangeId called = push("Thunk:#name=jvp(MLP)/fc/add,hlo_op=cublas-lt-matmul.1#");
  payload(called,
          "cublas-lt-matmul.1 = (f32[4,8]{1,0}, s8[64]{0}) custom-call(a, b, c), "
          "custom_call_target=\"__cublas$lt$matmul\", "
          "metadata={op_name=\"jit(train_step)/jvp(MLP)/fc/add\"}",
          "");
  EXPECT_EQ(at(called).op, "dot_general");
  EXPECT_EQ(at(called).params, "T=(4,8)") << "and not the library's memory";
}

/// As jaxlib 0.11 writes them.
TEST_F(Xla, PartsStandForAFusionWhoseOwnHloIsMissing) {
  constexpr std::string_view kParts =
      "\ngemm_fusion_dot.9_computation {\n  p0 = bf16[1024,512]{1,0} parameter(0)\n"
      "  p1 = bf16[512]{0} parameter(1)\n  mul.18 = bf16[1024,512]{1,0} broadcast(p1)\n"
      "  mul.19 = bf16[1024,512]{1,0} multiply(p0, mul.18)\n"
      "  p2 = bf16[512,1536]{1,0} parameter(2)\n"
      "  ROOT dot.86 = bf16[1024,1536]{1,0} dot(mul.19, p2), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, "
      "metadata={op_name=\"jit(f)/transpose(jvp(T))/attn/dot_general\"}\n}";
  push(kProgram);
  const RangeId whole = push("Thunk:#hlo_op=gemm_fusion_dot.9,unique_hlo_op_id=1#");
  payload(whole, kParts, kParts);
  const OpAttribution& op = at(whole);
  EXPECT_EQ(op.op, "dot_general");
  EXPECT_EQ(op.layer, "T:attn");
  EXPECT_EQ(op.direction, Direction::kBprop);
  EXPECT_EQ(op.params, "M=1536,N=1024,K=512");
  EXPECT_EQ(op.cost.bytes, 2.0 * (1024 * 512 + 512 + 512 * 1536 + 1024 * 1536));
  trace_.pop();
  const RangeId cut = push("Thunk:#name=jvp(T)/mlp,hlo_op=gemm_fusion_dot.10#");
  payload(cut, kParts, kParts.substr(0, kParts.find("  ROOT")));
  EXPECT_EQ(at(cut).layer, "T:mlp") << "by the text";
  EXPECT_FALSE(at(cut).gemm);
  trace_.pop();
  const RangeId loop = push("Thunk:#name=jvp(T)/while,hlo_op=while.3#");
  payload(loop, kParts, kParts);
  EXPECT_FALSE(at(loop).gemm) << "what a loop runs has ranges of its own";
}

TEST_F(Xla, EqualTextsOfTwoProgramsDifferByTheirHlo) {
  for (const std::string_view layer : {"A", "B"}) {
    push("XlaModule:#hlo_module=jit_f#");
    const RangeId range = push("Thunk:#hlo_op=fusion.1#");
    const std::string name = "metadata={op_name=\"jit(f)/" + std::string(layer) + "/tanh\"}";
    payload(range, "fusion.1 = f32[4]{0} fusion(a), kind=kLoop, calls=c, " + name,
            "c {\n  p = f32[4]{0} parameter(0)\n  ROOT t = f32[4]{0} tanh(p), " + name + "\n}\n");
    EXPECT_EQ(at(range).layer, layer);
    EXPECT_EQ(at(range).op, "tanh");
    EXPECT_EQ(at(range).params, "T=(4)");
    EXPECT_EQ(at(range).cost.bytes, 32);
    trace_.pop();
    trace_.pop();
  }
}

TEST_F(Xla, MalformedTextsAreCounted) {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  for (const std::string_view text :
       {"Thunk:#", "Thunk:##", "Thunk:#hlo_op=fusion.3", "Thunk:#name=a/b,hlo_op=fusion",
        "Thunk:#x=y#", "XlaModule:#hlo_module=#", "XlaModule:#prefix=jit(f)#",
        "XlaModule:#program_id=3#", "XlaAutotunerMeasurement:#a=b#"}) {
    const auto meaning = registry.parse({text, "TSL", false});
    EXPECT_TRUE(meaning.is<NoMeaning>()) << text;
    EXPECT_FALSE(meaning.problem.empty()) << text;
  }
  for (const std::string_view text : {"XlaCompile:#module=jit_f,program_id=1#", "", "Thunk"}) {
    const auto meaning = registry.parse({text, "TSL", false});
    EXPECT_TRUE(meaning.is<NoMeaning>()) << text;
    EXPECT_TRUE(meaning.problem.empty()) << text;
  }
  EXPECT_TRUE(registry.parse({"Thunk:#hlo_op=fusion.3#", "other", false}).is<NoMeaning>());
  EXPECT_TRUE(registry.parse({"Thunk:#hlo_op=fusion.3#", {}, true}).is<PlainName>());
}

}  // namespace
}  // namespace prof
