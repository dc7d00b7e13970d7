// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What JAX's and XLA's names say, and HLO as XLA prints it.
#include "analyzers/dialects/jax_names.hpp"

#include <gtest/gtest.h>

#include "analyzers/dialects/hlo_names.hpp"
#include "analyzers/dialects/hlo_text.hpp"

namespace prof::dialects {
namespace {

struct Said {
  std::string_view name, layer, word;
  Direction direction = Direction::kNone;
  bool is_recomputed = false;
};

constexpr auto kFprop = Direction::kFprop;
constexpr auto kBprop = Direction::kBprop;

constexpr Said kNames[] = {
    {"jit(train_step)/jvp(GPT)/block_0/attn/dot_general", "GPT:block_0:attn", "dot_general",
     kFprop},
    {"jit(train_step)/transpose(jvp(GPT))/block_0/attn/dot_general", "GPT:block_0:attn",
     "dot_general", kBprop},
    {"jit(train_step)/jit(main)/transpose(jvp(GPT))/mlp/transpose", "GPT:mlp", "transpose", kBprop},
    {"jit(train_step)/add", "", "add"},
    {"jit(train_step)/jvp()/dot_general", "", "dot_general", kFprop},
    {"jit(train_step)/jvp(jit(loss_fn))/GPT/mul", "loss_fn:GPT", "mul", kFprop},
    {"jit(train_step)/jvp(GPT)/mlp/jit(silu)/logistic", "GPT:mlp", "logistic", kFprop},
    {"jit(train_step)/jvp(GPT)/mlp/jit(silu)", "GPT:mlp", "silu", kFprop},
    {"jit(train_step)/jit(_where)/select_n", "", "select_n"},
    {"jit(step)/transpose(jvp(T))/jvp()/checkpoint/rematted_computation/mlp/mul", "T:mlp", "mul",
     kBprop, true},
    {"jit(step)/jvp(T)/while/body/closed_call/checkpoint/layer/exp", "T:layer", "exp", kFprop},
    {"jit(step)/jvp(vmap(T))/cond/branch_1_fun/sin", "T", "sin", kFprop},
    {"jit(f)/attn/bqhd,bkhd->bhqk/dot_general", "attn", "dot_general"},
    {"jit(run)/jit(main)/while/body/transpose[permutation=(1, 0)]", "", "transpose"},
    {"jit(f)/jvp(GPT)/scatter-add:", "GPT", "scatter-add", kFprop},
    {"pmap(step)/jvp(Net)/Dense_0/dot_general", "Net:Dense_0", "dot_general", kFprop},
    {"jvp(GPT)/block_0", "GPT:block_0", "", kFprop},
    {"Net.forward/fc(1)/add", "Net.forward:fc(1)", "add"},
    {"", "", ""},
    {"///", "", ""},
    {"jit(f", "jit(f", ""},
    {")(/a/add", ")(/a/add", ""},
};

TEST(JaxNames, SayLayerOpAndDirection) {
  for (const Said& said : kNames) {
    const JaxOp op = join_jax_names(read_jax_name(said.name, false), {});
    EXPECT_EQ(op.names.layer, said.layer) << said.name;
    EXPECT_EQ(op.word, said.word) << said.name;
    EXPECT_EQ(op.names.direction, said.direction) << said.name;
    EXPECT_EQ(op.names.is_recomputed, said.is_recomputed) << said.name;
  }
}

TEST(JaxNames, AnOperationThatIsNotKnownIsOneWhereTheNameMustEndInOne) {
  const std::string_view name = "jit(f)/GPT/my_kernel";
  EXPECT_EQ(join_jax_names(read_jax_name(name, false), {}).names.layer, "GPT:my_kernel");
  const JaxOp op = join_jax_names(read_jax_name(name, true), {});
  EXPECT_EQ(op.names.layer, "GPT");
  EXPECT_EQ(op.word, "my_kernel");
}

JaxOp fused(std::string_view own, std::initializer_list<std::string_view> names) {
  std::vector<JaxName> parts;
  for (const std::string_view name : names) parts.push_back(read_jax_name(name, true));
  return join_jax_names(read_jax_name(own, true), parts);
}

TEST(JaxNames, AFusedOpIsWhatItsPartsCompute) {
  const JaxOp op = fused("jit(f)/jvp(GPT)/b/mlp/add",
                         {"jit(f)/jvp(GPT)/b/mlp/mul", "jit(f)/jvp(GPT)/b/mlp/broadcast_in_dim",
                          "jit(f)/jvp(GPT)/b/mul", "jit(f)/jvp(GPT)/b/mlp/add"});
  EXPECT_EQ(op.word, "fused: mul+add") << "arranging operands is no computation";
  EXPECT_EQ(op.names.layer, "GPT:b") << "what all have in common";
  EXPECT_EQ(op.names.direction, kFprop);
  EXPECT_EQ(
      fused("jit(f)/a/transpose", {"jit(f)/a/transpose", "jit(f)/a/convert_element_type"}).word,
      "fused: transpose+convert_element_type");
  EXPECT_EQ(fused("jit(f)/a/jit(gelu)/mul", {"jit(f)/a/jit(gelu)/tanh"}).word, "gelu");
  EXPECT_EQ(fused("jit(f)/a/jit(gelu)/mul", {"jit(f)/a/add"}).word, "fused: add+mul");
}

TEST(JaxNames, TheLayerOfAFusedOpIsThatOfItsPartsInScopes) {
  EXPECT_EQ(fused("jit(f)/sub", {"jit(f)/mul", "jit(f)/A/b/mul"}).names.layer, "A:b");
  EXPECT_EQ(fused("jit(f)/A/sub", {"jit(f)/B/mul"}).names.layer, "A") << "or of its result";
}

TEST(JaxNames, AFusedOpHasTheDirectionOfItsResult) {
  EXPECT_EQ(fused("jit(f)/transpose(jvp(G))/mul", {"jit(f)/jvp(G)/tanh"}).names.direction, kBprop)
      << "it computes again what the forward pass did";
  EXPECT_EQ(fused("jit(f)/sub", {"jit(f)/transpose(jvp(G))/mul"}).names.direction,
            Direction::kBprop)
      << "only gradients";
  EXPECT_EQ(fused("jit(f)/sub", {"jit(f)/mul", "jit(f)/transpose(jvp(G))/mul"}).names.direction,
            Direction::kNone);
}

TEST(JaxNames, ManyPartsAreCutShort) {
  std::vector<JaxName> parts;
  for (const std::string_view word :
       {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3", "b4"}) {
    JaxName& part = parts.emplace_back();
    part.primitive = word;
  }
  EXPECT_EQ(join_jax_names({}, parts).word, "fused: a1+a2+a3+a4+a5+a6+a7+a8+a9+b1+b2+b3+..");
}

TEST(HloNames, SayWhatIsComputed) {
  constexpr std::string_view kWords[][2] = {
      {"loop_add_fusion.3", "fused: add"},
      {"loop_add_dynamic_update_slice_fusion", "fused: add+dynamic_update_slice"},
      {"input_reduce_fusion.12.0", "fused: reduce"},
      {"loop_select_and_scatter_select_fusion", "fused: select_and_scatter+select"},
      {"wrapped_tanh.1", "tanh"},
      {"gemm_fusion_dot.5", "dot_general"},
      {"gemm_fusion_dot_general.0", "dot_general"},
      {"cublas-lt-matmul.2", "cublas_lt_matmul"},
      {"custom-call.49", "custom_call"},
      {"fusion.3", "fusion"},
      {"all-reduce-start.1", "all_reduce"},
      {"reduce-scatter-done", "reduce_scatter"},
      {"collective-permute.1", "collective_permute"},
      {"loop_fusion", "loop_fusion"},
      {"_fusion", "_fusion"},
      {".3", "unnamed"},
      {"", "unnamed"},
  };
  for (const auto& [name, word] : kWords) {
    EXPECT_EQ(read_hlo_name(name).word, word) << name;
  }
  EXPECT_TRUE(read_hlo_name("all-gather-start.2").is_collective);
  EXPECT_TRUE(read_hlo_name("while.7").runs_others);
  EXPECT_TRUE(read_hlo_name("fusion.3").is_fused);
  EXPECT_FALSE(read_hlo_name("dot.3").is_fused);
}

constexpr std::string_view kGemm =
    "gemm_fusion_dot.1_computation {\n"
    "  parameter_0 = bf16[512,384]{1,0} parameter(0), metadata={op_name=\"x\"}\n"
    "  parameter_1 = f32[384,1024]{1,0} parameter(1)\n"
    "  convert.2 = bf16[384,1024]{1,0} convert(parameter_1)\n"
    "  ROOT dot.3 = f32[512,1024]{1,0} dot(parameter_0, /*index=1*/convert.2), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "metadata={op_name=\"jit(f)/jvp(MLP)/fc_0/dot_general\" source_file=\"/w/a b.py\" "
    "source_line=7}\n"
    "} // gemm_fusion_dot.1_computation\n";

TEST(HloText, Instructions) {
  const auto all = read_hlo(kGemm);
  ASSERT_EQ(all.size(), 4U);
  const HloInstruction& dot = all.back();
  EXPECT_TRUE(dot.is_root);
  EXPECT_EQ(dot.name, "dot.3");
  EXPECT_EQ(dot.opcode, "dot");
  EXPECT_EQ(dot.operands, (std::vector<std::string_view>{"parameter_0", "convert.2"}));
  EXPECT_EQ(dot.results.at(0).sizes, (Shape{512, 1024}));
  EXPECT_EQ(dot.results.at(0).dtype, DType::kFloat32);
  EXPECT_EQ(dot.attribute("op_name"), "jit(f)/jvp(MLP)/fc_0/dot_general");
  EXPECT_EQ(dot.attribute("source_file"), "/w/a b.py");
  EXPECT_EQ(dot.attribute("source_line"), "7");
  EXPECT_EQ(dot.attribute("name"), "") << "not the end of another key";
}

TEST(HloText, TuplesAndTextsInQuotes) {
  const auto call = read_hlo_instruction(
      R"(%custom-call.49 = (f32[512,20]{1,0}, /*index=1*/s8[68096]{0}) custom-call(f32[2]{0} %a, %b), )"
      R"(custom_call_target="__cublas$gemm", metadata={op_name="f(\"x\")/(" source_line=3}, backend_config={"a":"}"})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->name, "custom-call.49");
  ASSERT_EQ(call->results.size(), 2U);
  EXPECT_EQ(call->results[1].sizes, (Shape{68096}));
  EXPECT_EQ(call->operands, (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(call->attribute("custom_call_target"), "__cublas$gemm");
  EXPECT_EQ(call->attribute("op_name"), R"(f(\"x\")/()");
}

TEST(HloText, AProductHasTheSizesThatCublasWouldBeCalledWith) {
  const auto all = read_hlo(kGemm);
  const auto product = product_of_dot(all.back(), all);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->gemm.m, 1024);
  EXPECT_EQ(product->gemm.n, 512);
  EXPECT_EQ(product->gemm.k, 384);
  EXPECT_EQ(product->a.dtype, DType::kBFloat16);
  const auto batched = read_hlo(
      "a = f16[32,8,4]{2,1,0} parameter(0)\nb = f16[32,6,4]{2,1,0} parameter(1)\n"
      "d = f16[32,8,6]{1,2,0} dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={2}\n");
  const auto scores = product_of_dot(batched.back(), batched);
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->gemm.m, 8) << "its columns lie together";
  EXPECT_EQ(scores->gemm.n, 6);
  EXPECT_EQ(scores->gemm.k, 4);
  EXPECT_EQ(scores->gemm.batch, 32);
}

TEST(HloText, WhatIsDamagedIsNoInstruction) {
  for (const std::string_view line :
       {"", "ROOT", " = ", "a = ", "a = f32[2]", "a = f32[2] add", "a = f32[2] add(",
        "a = (f32[2 add(b)", "a = f32[-1] add(b)", "a = f32[99999999999999999999] add(b)",
        "a b = f32[2] add(b)", "fused_computation.1 {", "} // fused_computation.1",
        "a = x add(b)"}) {
    EXPECT_FALSE(read_hlo_instruction(line)) << line;
  }
  const auto huge = read_hlo(
      "a = f32[9223372036854775807,2]{1,0} parameter(0)\nb = f32[2,9]{1,0} parameter(1)\n"
      "d = f32[9]{0} dot(a, b), lhs_contracting_dims={0,1}, rhs_contracting_dims={0}\n"
      "e = f32[9]{0} dot(a, c), lhs_contracting_dims={7}, rhs_contracting_dims={0}\n");
  ASSERT_EQ(huge.size(), 4U);
  EXPECT_FALSE(product_of_dot(huge[2], huge));
  EXPECT_FALSE(product_of_dot(huge[3], huge));
}

}  // namespace
}  // namespace prof::dialects
