// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// XLA's ranges: programs, ops, what is inside them, and their payloads.
#include <gtest/gtest.h>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

constexpr std::string_view kProgram =
    "XlaModule:#prefix=jit(train_step),hlo_module=jit_train_step,program_id=12#";
constexpr std::string_view kGemm = R"({"source":"cublas","op":"cublas::gemm","args":[
    {"shape":[5,3],"dtype":"float32"},{"shape":[3,7],"dtype":"float32"},null,
    {"shape":[5,7],"dtype":"float32"}]})";

class Xla : public ::testing::Test {
 protected:
  RangeId push(std::string_view text) { return trace_.push(text, 1, domain_); }
  const OpAttribution& at(RangeId stack) {
    if (!contexts_) contexts_.emplace(trace_, StackWalker::kUsualEntries);
    contexts_->advance(INT64_MAX - 1);
    const StackMeaning meaning = contexts_->meaning(stack);
    op_id_ = meaning.op_id;
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
  std::uint64_t op_id_ = 0;
  bool has_schema_ = false;
};

TEST_F(Xla, AnOpHasWhatItsNameSays) {
  push(kProgram);
  const RangeId range = push(
      "Thunk:#name=transpose(jvp(GPT))/block_0/attn/dot_general,hlo_op=custom-call.3,"
      "unique_hlo_op_id=71#");
  const OpAttribution& op = at(range);
  EXPECT_EQ(op.op, "dot_general");
  EXPECT_EQ(op.op_inner, "custom-call.3");
  EXPECT_EQ(op.module, "xla");
  EXPECT_TRUE(op.known_op);
  EXPECT_EQ(op.layer, "GPT:block_0:attn");
  EXPECT_EQ(op.direction, Direction::kBprop);
  EXPECT_EQ(op.op_from, Provenance::kEstimated);
  EXPECT_EQ(op.layer_from, Provenance::kEstimated);
  EXPECT_EQ(op.direction_from, Provenance::kEstimated);
  EXPECT_FALSE(op.cost.flops);
  EXPECT_EQ(op_id_, range);
}

TEST_F(Xla, WithoutScopesTheProgramIsTheLayer) {
  push("XlaModule:#hlo_module=jit_train_step,program_id=12#");
  const OpAttribution& op = at(push("Thunk:#hlo_op=loop_add_multiply_fusion.3#"));
  EXPECT_EQ(op.op, "fused: add+multiply");
  EXPECT_EQ(op.layer, "jit_train_step");
  EXPECT_EQ(op.layer_from, Provenance::kEstimated);
  EXPECT_EQ(op.direction, Direction::kNone);
  trace_.pop();
  EXPECT_EQ(at(push("Thunk:#name=fusion#")).op, "fusion") << "an old form, without hlo_op";
}

TEST_F(Xla, ThePrefixOfTheProgramIsPartOfTheLayer) {
  push("XlaModule:#prefix=jit(f)/GPT,hlo_module=jit_f,program_id=1#");
  EXPECT_EQ(at(push("Thunk:#name=mlp/tanh,hlo_op=wrapped_tanh#")).layer, "GPT:mlp");
  trace_.pop();
  EXPECT_EQ(at(push("Thunk:#hlo_op=copy.1#")).layer, "GPT");
}

TEST_F(Xla, NamesMayHaveTheSignsThatSeparateThem) {
  push(kProgram);
  const OpAttribution& op =
      at(push("Thunk:#name=jvp(M)/a=b,c/transpose[permutation=(1, 0)],hlo_op=copy.3#"));
  EXPECT_EQ(op.op, "transpose");
  EXPECT_EQ(op.layer, "M:a=b,c");
}

TEST_F(Xla, OpsInsideAnotherAreTheirOwn) {
  push(kProgram);
  const RangeId loop = push("Thunk:#name=jvp(GPT)/while,hlo_op=while.3#");
  EXPECT_EQ(at(loop).op, "while");
  const RangeId inner = push("Thunk:#name=jvp(GPT)/while/body/mlp/tanh,hlo_op=wrapped_tanh#");
  EXPECT_EQ(at(inner).op, "tanh");
  EXPECT_EQ(at(inner).layer, "GPT:mlp");
  EXPECT_EQ(op_id_, inner);
  trace_.pop();
  const OpAttribution& copy = at(push("Thunk:#hlo_op=copy.9#"));
  EXPECT_EQ(copy.op, "copy");
  EXPECT_EQ(copy.layer, "GPT") << "the compiler's own copy is of what runs it";
  EXPECT_EQ(copy.direction, Direction::kFprop);
}

TEST_F(Xla, ALibrarysCallCountsForTheOp) {
  push(kProgram);
  const RangeId op = push("Thunk:#name=jvp(GPT)/dot_general,hlo_op=custom-call.3#");
  const RangeId call = trace_.push_op(kGemm);
  const OpAttribution& product = at(call);
  EXPECT_EQ(product.op, "dot_general");
  EXPECT_EQ(product.layer, "GPT");
  EXPECT_EQ(product.params, "M=5,N=7,K=3");
  EXPECT_EQ(product.cost.flops, 2 * 5 * 7 * 3);
  EXPECT_EQ(op_id_, op);
}

TEST_F(Xla, CollectivesAreLibprofs) {
  push(kProgram);
  const OpAttribution& op =
      at(push("Thunk:#name=transpose(jvp(GPT))/psum,hlo_op=all-reduce-start.1#"));
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_TRUE(op.known_op);
  EXPECT_EQ(op.direction, Direction::kBprop);
}

TEST_F(Xla, WhatTheProgramStatesComesFirst) {
  trace_.push("layer:mine");
  push(kProgram);
  EXPECT_EQ(at(push("Thunk:#name=jvp(GPT)/tanh,hlo_op=wrapped_tanh#")).layer, "mine");
  EXPECT_EQ(at(push("Thunk:#name=jvp(GPT)/tanh,hlo_op=wrapped_tanh#")).layer_from,
            Provenance::kExact);
  const RangeId stated = trace_.push(fakes::op_text("relu", "bprop", "x:in:8:float16"));
  const RangeId inside = push("Thunk:#name=jvp(GPT)/max,hlo_op=loop_maximum_fusion#");
  EXPECT_EQ(at(inside).op, "relu");
  EXPECT_EQ(at(inside).direction, Direction::kBprop);
  EXPECT_EQ(op_id_, stated);
}

TEST_F(Xla, PlainNamesAreAroundScopes) {
  trace_.push("epoch");
  push(kProgram);
  EXPECT_EQ(at(push("Thunk:#name=jvp(GPT)/tanh,hlo_op=wrapped_tanh#")).layer, "epoch:GPT");
  trace_.pop();
  EXPECT_EQ(at(push("Thunk:#hlo_op=copy.1#")).layer, "epoch");
}

TEST_F(Xla, TheUpdateIsNamedByItsScope) {
  push(kProgram);
  const OpAttribution& op = at(push("Thunk:#name=adam/mul,hlo_op=loop_multiply_fusion#"));
  EXPECT_EQ(op.direction, Direction::kUpdate);
  EXPECT_EQ(op.direction_from, Provenance::kEstimated);
}

TEST_F(Xla, MeasurementsAreOneOpWhateverTheyRun) {
  const RangeId measured = push("XlaAutotunerMeasurement:#hlo_op=gemm_fusion_dot.1#");
  push("XlaModule:#hlo_module=gemm_fusion_dot.1#");
  const OpAttribution& op = at(push("Thunk:#hlo_op=gemm_fusion_dot.1#"));
  EXPECT_EQ(op.op, "autotune");
  EXPECT_EQ(op.op_from, Provenance::kExact);
  EXPECT_TRUE(op.known_op);
  EXPECT_EQ(op_id_, measured);
}

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
