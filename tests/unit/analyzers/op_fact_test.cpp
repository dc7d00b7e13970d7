// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that are stated as op facts mean what they mean as texts; cases/op_facts.txt has programs.
#include <gtest/gtest.h>

#include <string>

#include "analyzers/dialects/op_signature.hpp"

namespace prof {
namespace {

using dialects::read_op_signature;

constexpr const char* kAddmmSignature =
    R"({"source":"x","op":"aten::addmm","args":[{"shape":[3],"dtype":"float16","strides":[1]},)"
    R"({"shape":[8,4],"dtype":"float16"},{"shape":[4,3],"dtype":"float16"},{"value":1},null]})";

std::string problem(const char* signature) { return read_op_signature(signature, false).problem; }

TEST(OpSignature, IsAnOpWithItsTensors) {
  const auto meaning = read_op_signature(kAddmmSignature, true);
  ASSERT_EQ(meaning.problem, "");
  const OpDesc* const op = meaning.op();
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->op, "aten::addmm");
  EXPECT_EQ(op->module, "aten");
  ASSERT_EQ(op->tensors.size(), 3U);
  EXPECT_EQ(op->tensors[1].name, "a");
  EXPECT_EQ(op->tensors[1].shape, (Shape{8, 4}));
  EXPECT_EQ(op->tensors[1].dtype, DType::kFloat16);
  EXPECT_NE(meaning.ties.kinship, 0U);
}

TEST(OpSignature, ListsOfTensorsAndDirections) {
  const auto meaning = read_op_signature(
      R"({"op":"aten::cat","dir":"fprop","args":[{"list":[{"shape":[2],"dtype":"int64"},)"
      R"({"shape":[3]}]},{"value":0}]})",
      false);
  ASSERT_NE(meaning.op(), nullptr);
  EXPECT_EQ(meaning.op()->direction, Direction::kFprop);
  ASSERT_EQ(meaning.op()->tensors.size(), 2U);
  EXPECT_EQ(meaning.op()->tensors[0].dtype, DType::kInt64);
  EXPECT_EQ(meaning.op()->tensors[1].shape, (Shape{3}));
  EXPECT_EQ(meaning.op()->tensors[1].dtype, DType::kUnknown);
}

TEST(OpSignature, AnElementOfAListMayBeMissing) {
  const auto meaning = read_op_signature(
      R"({"op":"aten::index","args":[{"shape":[7,5,3],"dtype":"float32"},{"list":[)"
      R"(null,{"shape":[2],"dtype":"int64"},null]}]})",
      false);
  ASSERT_EQ(meaning.problem, "");
  ASSERT_NE(meaning.op(), nullptr);
  ASSERT_EQ(meaning.op()->tensors.size(), 2U);
  EXPECT_EQ(meaning.op()->tensors[1].shape, (Shape{2}));
  EXPECT_EQ(std::get<std::string>(meaning.op()->attrs.at("left_out")), "0,2");
}

TEST(OpSignature, ValuesAreAttributes) {
  const auto meaning = read_op_signature(
      R"({"op":"aten::convolution_backward","args":[{"shape":[2,8,32]},{"shape":[2,4,32]},)"
      R"({"shape":[8,4,3]},null,{"value":[1]},{"value":"same"},{"value":[1,[2]]},{"value":false},)"
      R"({"value":[]},{"value":2},{"value":[true,false,true]}]})",
      false);
  ASSERT_NE(meaning.op(), nullptr);
  const auto& attrs = meaning.op()->attrs;
  EXPECT_EQ(attrs.size(), 6U);  // not the nested list
  EXPECT_EQ(std::get<std::string>(attrs.at("stride")), "1");
  EXPECT_EQ(std::get<std::string>(attrs.at("padding")), "same");
  EXPECT_FALSE(std::get<bool>(attrs.at("transposed")));
  EXPECT_EQ(std::get<std::string>(attrs.at("output_padding")), "");
  EXPECT_EQ(std::get<std::int64_t>(attrs.at("groups")), 2);
  EXPECT_EQ(std::get<std::string>(attrs.at("output_mask")), "1,0,1");
}

TEST(OpSignature, NamesMeanWhatTheyMeanInTexts) {
  const auto of = [](const char* name) {
    return read_op_signature(std::string(R"({"op":")") + name + "\"}", false);
  };
  EXPECT_TRUE(of("autograd::engine::evaluate_function: AddmmBackward0").is<NodeEvaluation>());
  EXPECT_TRUE(of("AddmmBackward0").is<BackwardNode>());
  EXPECT_TRUE(of("Optimizer.step#Adam.step").is<FrameworkOp>());
  EXPECT_TRUE(of("ProfilerStep#4").is<StepNumber>());
  EXPECT_TRUE(of("Train step 4").is<StepNumber>());
  EXPECT_TRUE(of("my block").is<PlainName>());
  ASSERT_TRUE(of("nn.Module: Linear_3").is<LayerName>());
  EXPECT_EQ(of("nn.Module: Linear_3").as<LayerName>()->name, "Linear_3");
}

TEST(OpSignature, LibrariesStateGradients) {
  const auto call = [](const char* name, const char* facts) {
    return read_op_signature(std::string(R"({"source":"cudnn","op":")") + name +
                                 R"(","args":[{"shape":[2,4,8,8]},{"shape":[2,8,6,6]},)" +
                                 R"({"shape":[8,4,3,3]}],"facts":)" + facts + "}",
                             false);
  };
  const auto weight = call("cudnn::conv_wgrad", R"({"part":"weight","stride":[2,1]})");
  ASSERT_TRUE(weight.is<FrameworkOp>());
  EXPECT_TRUE(weight.as<FrameworkOp>()->is_library_call);
  EXPECT_TRUE(weight.as<FrameworkOp>()->is_backward);
  EXPECT_EQ(weight.op()->part, Part::kWeight);
  EXPECT_EQ(std::get<std::string>(weight.op()->attrs.at("stride")), "2,1");
  EXPECT_EQ(weight.op()->tensors.back().role, Tensor::Role::kOut);
  // What a transposed convolution computes forward.
  EXPECT_FALSE(call("cudnn::conv_dgrad", R"({"part":"data"})").as<FrameworkOp>()->is_backward);
  EXPECT_FALSE(call("cudnn::conv_fprop", "{}").as<FrameworkOp>()->is_backward);
  const auto adds = call("cudnn::conv_wgrad", R"({"part":"none","accumulates":1})");
  EXPECT_EQ(adds.op()->part, Part::kNone);
  EXPECT_EQ(adds.op()->tensors.back().role, Tensor::Role::kInOut);
}

TEST(OpSignature, WhatIsWrongHasAReason) {
  EXPECT_EQ(problem("{"), "a signature is not a JSON object");
  EXPECT_EQ(problem("[]"), "a signature is not a JSON object");
  EXPECT_EQ(problem("{}"), "\"op\" is not a name");
  EXPECT_EQ(problem(R"({"op":7})"), "\"op\" is not a name");
  EXPECT_EQ(problem(R"({"op":"a","dir":"up"})"), "\"dir\" is not a direction");
  EXPECT_EQ(problem(R"({"op":"a","args":{}})"), "\"args\" is not an array");
  EXPECT_EQ(problem(R"({"op":"a","args":[1]})"), "an argument is not an object");
  EXPECT_EQ(problem(R"({"op":"a","args":[{"list":1}]})"), "\"list\" is not an array");
  EXPECT_EQ(problem(R"({"op":"a","args":[{"list":[1]}]})"), "an argument is not an object");
  EXPECT_EQ(problem(R"({"op":"a","args":[{"shape":7}]})"), "\"shape\" is not a shape");
  EXPECT_EQ(problem(R"({"op":"a","args":[{"shape":[-1]}]})"), "\"shape\" is not a shape");
  EXPECT_EQ(problem(R"({"op":"a","args":[{"shape":[1.5]}]})"), "\"shape\" is not a shape");
  const std::string deep = R"({"op":"a","args":)" + std::string(1'000'000, '[');
  EXPECT_EQ(problem(deep.c_str()), "a signature is nested more than 64 deep");
}

}  // namespace
}  // namespace prof
