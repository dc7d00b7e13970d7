// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/registry.hpp"

#include <gtest/gtest.h>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof::dialects {
namespace {

class Dialects : public ::testing::Test {
 protected:
  Dialects() { register_builtin(registry_); }
  RangeMeaning parse(std::string_view text) { return registry_.parse({text, {}, true}); }
  Registry registry_;
};

TEST_F(Dialects, Layers) {
  const RangeMeaning meaning = parse("layer:enc:1:attn");
  EXPECT_TRUE(meaning.is<LayerName>());
  EXPECT_EQ(meaning.as<LayerName>()->name, "enc:1:attn");
  EXPECT_TRUE(parse("layer:").is<PlainName>());
  EXPECT_TRUE(parse("my layer: foo").is<PlainName>());
  EXPECT_TRUE(parse("").is<NoMeaning>());
}

TEST_F(Dialects, Steps) {
  for (const std::string_view text : {"step:12", "Train step 12", "ProfilerStep#12"}) {
    const RangeMeaning meaning = parse(text);
    EXPECT_TRUE(meaning.is<StepNumber>()) << text;
    EXPECT_EQ(meaning.as<StepNumber>()->number, 12) << text;
  }
  for (const std::string_view text :
       {"step:", "step:1x", "steps:1", "Train step", "ProfilerStep#", "epochs 3", "block 3"}) {
    EXPECT_TRUE(parse(text).is<PlainName>()) << text;
  }
}

TEST_F(Dialects, TurnsOfOuterLoopsAreNeitherStepsNorLayers) {
  for (const std::string_view text : {"epoch 3", "Batch_12", "[iteration 7]", "step: 1", "token#5",
                                      "step:99999999999999999999"}) {
    EXPECT_TRUE(parse(text).is<NoMeaning>()) << text;
  }
}

TEST_F(Dialects, OtherDomainsSayNothing) {
  for (const std::string_view text :
       {"layer:a", "step:1", "gemm", R"({"v":1,"mod":"prof","op":"relu"})"}) {
    EXPECT_TRUE(registry_.parse({text, "NCCL", false}).is<NoMeaning>()) << text;
  }
}

TEST_F(Dialects, Op) {
  const RangeMeaning meaning = parse(
      R"({"v":1,"mod":"prof","op":"linear","dir":"bprop","part":"weight","args":[
          {"name":"dy","role":"in","type":"tensor","shape":[32768,512],"dtype":"float16"},
          {"name":"w","role":"inout","type":"tensor","shape":[],"dtype":"float32"},
          {"name":"z","role":"out","type":"tensor","shape":[0],"dtype":"a type of the future"}],
          "attrs":{"b":true,"i":-3,"u":18446744073709551615,"d":0.5,"s":"relu"},"more":null})");
  ASSERT_TRUE(meaning.is<StatedOp>()) << meaning.problem;
  const OpDesc& op = *meaning.op();
  EXPECT_EQ(op.module, "prof");
  EXPECT_EQ(op.op, "linear");
  EXPECT_EQ(op.direction, Direction::kBprop);
  EXPECT_EQ(op.part, Part::kWeight);
  ASSERT_EQ(op.tensors.size(), 3U);
  EXPECT_EQ(op.tensors[0].name, "dy");
  EXPECT_EQ(op.tensors[0].shape, (Shape{32768, 512}));
  EXPECT_EQ(op.tensors[0].dtype, DType::kFloat16);
  EXPECT_EQ(op.tensors[1].role, Tensor::Role::kInOut);
  EXPECT_TRUE(op.tensors[1].shape.empty());
  EXPECT_EQ(op.tensors[2].role, Tensor::Role::kOut);
  EXPECT_EQ(op.tensors[2].dtype, DType::kUnknown);
  EXPECT_EQ(std::get<bool>(op.attrs.at("b")), true);
  EXPECT_EQ(std::get<std::int64_t>(op.attrs.at("i")), -3);
  EXPECT_DOUBLE_EQ(std::get<double>(op.attrs.at("u")), 18446744073709551615.0);
  EXPECT_DOUBLE_EQ(std::get<double>(op.attrs.at("d")), 0.5);
  EXPECT_EQ(std::get<std::string>(op.attrs.at("s")), "relu");
}

TEST_F(Dialects, OneArgumentMayStandForManyTensors) {
  const RangeMeaning meaning = parse(
      R"({"v":1,"mod":"prof","op":"lamb","args":[
          {"name":"param","role":"in","type":"tensor","shape":[4,2],"dtype":"float32","count":3},
          {"name":"none","role":"in","type":"tensor","shape":[9],"dtype":"float32","count":0},
          {"name":"grad","role":"in","type":"tensor","shape":[5],"dtype":"float16"}]})");
  ASSERT_TRUE(meaning.is<StatedOp>()) << meaning.problem;
  ASSERT_EQ(meaning.op()->tensors.size(), 4U);
  EXPECT_EQ(meaning.op()->tensors[2].name, "param");
  EXPECT_EQ(meaning.op()->tensors[2].shape, (Shape{4, 2}));
  EXPECT_EQ(meaning.op()->tensors[3].name, "grad");
}

TEST_F(Dialects, ShortestOp) {
  const RangeMeaning meaning = parse(R"({"v":1,"mod":"prof","op":"x"})");
  ASSERT_TRUE(meaning.is<StatedOp>());
  EXPECT_EQ(meaning.op()->direction, Direction::kNone);
  EXPECT_TRUE(meaning.op()->tensors.empty());
}

TEST_F(Dialects, BrokenOpsArePlainRangesWithAProblem) {
  for (
      const std::string_view text : {
          R"({"v":1,"mod":"prof","op":"relu")",
          R"({"v":1,"mod":"prof","op":"relu"} x)",
          R"({"v":2,"mod":"prof","op":"relu"})",
          R"({"v":"1","mod":"prof","op":"relu"})",
          R"({"v":1.0,"mod":"prof","op":"relu"})",
          R"({"mod":"prof","op":"relu"})",
          R"({"v":1,"mod":["prof"],"op":"relu"})",
          R"({"v":1,"mod":"torch","op":"prof","x":"prof"})",
          R"({"v":1,"mod":"prof"})",
          R"({"v":1,"mod":"prof","op":""})",
          R"({"v":1,"mod":"prof","op":7})",
          R"({"v":1,"mod":"prof","op":"relu","dir":"forward"})",
          R"({"v":1,"mod":"prof","op":"relu","dir":null})",
          R"({"v":1,"mod":"prof","op":"relu","part":"middle"})",
          R"({"v":1,"mod":"prof","op":"relu","part":1})",
          R"({"v":1,"mod":"prof","op":"relu","args":{}})",
          R"({"v":1,"mod":"prof","op":"relu","args":[1]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"role":"in","type":"tensor","shape":[1],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","type":"tensor","shape":[1],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"by","type":"tensor","shape":[1],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"scalar","shape":[1],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","shape":[1]}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","shape":[-1],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","shape":[1.5],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","shape":[9223372036854775808],"dtype":"float16"}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","shape":[1],"dtype":"float16","count":65537}]})",
          R"({"v":1,"mod":"prof","op":"relu","args":[{"name":"x","role":"in","type":"tensor","shape":[1],"dtype":"float16","count":-1}]})",
          R"({"v":1,"mod":"prof","op":"relu","attrs":[]})",
          R"({"v":1,"mod":"prof","op":"relu","attrs":{"a":[1]}})",
          R"({"v":1,"mod":"prof","attrs_of":"","attrs":{}})",
          R"({"v":1,"mod":"prof","attrs_of":7,"attrs":{}})",
          R"({"v":1,"mod":"prof","attrs_of":"conv2d","op":"conv2d"})",
          R"({"v":1,"mod":"prof","attrs_of":"conv2d","attrs":{"stride":[2,2]}})",
          R"({"v":2,"mod":"prof","attrs_of":"conv2d"})",
          R"({"v":1,"mod":"prof","call":""})",
          R"({"v":1,"mod":"prof","call":7})",
          R"({"v":1,"mod":"prof","call":"Linear","op":"linear"})",
          R"({"v":1,"mod":"prof","call":"Linear","args":[null]})",
          R"({"v":1,"mod":"prof","call":"Linear","args":[{"shape":[8]}]})",
          R"({"v":2,"mod":"prof","call":"Linear"})",
          "{\"v\":1,\"mod\":\"prof\",\"op\":\"\xff\"}",
      }) {
    const RangeMeaning meaning = parse(text);
    EXPECT_TRUE(meaning.is<PlainName>()) << text;
    EXPECT_FALSE(meaning.problem.empty()) << text;
    EXPECT_EQ(meaning.as<PlainName>()->name, text);
  }
}

TEST_F(Dialects, AttributesOfOtherOps) {
  const RangeMeaning meaning = parse(
      R"({"v":1,"mod":"prof","attrs_of":"conv2d convolution","attrs":{"stride":"2,1","groups":4}})");
  ASSERT_TRUE(meaning.is<OpAttributes>()) << meaning.problem;
  EXPECT_EQ(meaning.as<OpAttributes>()->about->op, "conv2d convolution");
  EXPECT_EQ(std::get<std::string>(meaning.as<OpAttributes>()->about->attrs.at("stride")), "2,1");
  EXPECT_EQ(std::get<std::int64_t>(meaning.as<OpAttributes>()->about->attrs.at("groups")), 4);
}

TEST_F(Dialects, ACallOfAModule) {
  const RangeMeaning meaning = parse(
      R"({"v":1,"mod":"prof","call":"Linear","args":[{"name":"mask","role":"in","type":"tensor",)"
      R"("shape":[8,16],"dtype":"bfloat16"}]})");
  ASSERT_TRUE(meaning.is<ModuleCall>()) << meaning.problem;
  const OpDesc& call = *meaning.as<ModuleCall>()->call;
  EXPECT_EQ(call.op, "Linear");
  ASSERT_EQ(call.tensors.size(), 1U);
  EXPECT_EQ(call.tensors[0].name, "mask");
  EXPECT_EQ(call.tensors[0].shape, (Shape{8, 16}));
  EXPECT_EQ(call.tensors[0].dtype, DType::kBFloat16);
  EXPECT_TRUE(parse(R"({"v":1,"mod":"prof","call":"Net"})").is<ModuleCall>()) << "no tensors";
}

TEST_F(Dialects, ADirectionOfOtherOps) {
  const RangeMeaning meaning = parse(R"({"v":1,"mod":"prof","dir":"update"})");
  ASSERT_TRUE(meaning.is<OpAttributes>()) << meaning.problem;
  EXPECT_EQ(meaning.as<OpAttributes>()->about->op, "");
  EXPECT_EQ(meaning.as<OpAttributes>()->about->direction, Direction::kUpdate);
  EXPECT_FALSE(parse(R"({"v":1,"mod":"prof","dir":"sideways"})").problem.empty());
}

TEST_F(Dialects, ClosuresOfOptimizers) {
  EXPECT_TRUE(parse(R"({"v":1,"mod":"prof","closure_of":"AdamW"})").is<OptimizerClosure>());
  for (const char* text :
       {R"({"v":1,"mod":"prof","closure_of":""})", R"({"v":1,"mod":"prof","closure_of":3})",
        R"({"v":1,"mod":"prof","closure_of":"A","op":"add"})"}) {
    EXPECT_TRUE(parse(text).is<PlainName>()) << text;
  }
}

TEST_F(Dialects, LaunchesOfTritonKernels) {
  const auto meaning = parse(
      R"({"v":1,"mod":"prof","launch":"scale","args":[{"name":"0","role":"in","type":"tensor",)"
      R"("shape":[8],"dtype":"float16"}]})");
  ASSERT_TRUE(meaning.is<FrameworkOp>()) << meaning.problem;
  EXPECT_EQ(meaning.as<FrameworkOp>()->op->op, "triton::scale");
  EXPECT_EQ(meaning.as<FrameworkOp>()->op->tensors.size(), 1U);
  for (const char* text : {R"({"v":1,"mod":"prof","launch":""})",
                           R"({"v":1,"mod":"prof","launch":"scale","op":"add"})"}) {
    EXPECT_TRUE(parse(text).is<PlainName>()) << text;
  }
}

TEST_F(Dialects, OtherTextsArePlainWithoutAProblem) {
  for (const std::string_view text :
       {"{", "{}", "[1,2]", "{'mods': 'torch', 'op': 'add', 'args': []}", "forward"}) {
    const RangeMeaning meaning = parse(text);
    EXPECT_TRUE(meaning.is<PlainName>()) << text;
    EXPECT_TRUE(meaning.problem.empty()) << text;
  }
}

TEST_F(Dialects, VeryDeepJsonIsHarmless) {
  std::string text = R"({"v":1,"mod":"prof","op":"x","attrs":)";
  text.append(200000, '[');
  EXPECT_TRUE(parse(text).is<PlainName>());
  text.append(200000, ']');
  text += '}';
  const RangeMeaning meaning = parse(text);
  EXPECT_TRUE(meaning.is<PlainName>());
  EXPECT_FALSE(meaning.problem.empty());
}

TEST(TestHelpers, OpTextIsNative) {
  Registry registry;
  register_builtin(registry);
  const std::string text =
      fakes::op_text("linear", "bprop", "x:in:2x3:float16 s:out:-:int64", "data", R"("t":true)");
  const RangeMeaning meaning = registry.parse({text, {}, true});
  ASSERT_TRUE(meaning.is<StatedOp>()) << meaning.problem << text;
  EXPECT_EQ(meaning.op()->tensors[0].shape, (Shape{2, 3}));
  EXPECT_TRUE(meaning.op()->tensors[1].shape.empty());
}

}  // namespace
}  // namespace prof::dialects
