// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that are stated as op facts mean what they mean as texts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/dialects/op_signature.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

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

class OpFacts : public ::testing::Test {
 protected:
  void forward(std::uint64_t seq, std::uint32_t thread, const char* layer) {
    trace_.push(std::string("layer:") + layer, thread);
    trace_.push_op(kAddmmSignature, seq, thread);
    trace_.kernel("kernel", 100, thread);
    trace_.pop(thread);
    trace_.pop(thread);
  }
  void backward(std::uint64_t seq, std::uint32_t forward_thread, std::uint32_t thread = 9) {
    trace_.push_op(R"({"op":"autograd::engine::evaluate_function: AddmmBackward0"})", seq, thread,
                   forward_thread);
    trace_.push_op(R"({"op":"AddmmBackward0"})", seq, thread, forward_thread);
    trace_.push_op(R"({"op":"aten::mm","args":[{"shape":[3,8]},{"shape":[8,4]}]})", {}, thread);
    trace_.kernel("kernel", 100, thread);
    for (int i = 0; i < 3; ++i) trace_.pop(thread);
  }
  void accumulate(std::uint32_t thread) {
    trace_.push_op(
        R"({"op":"autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"})", {},
        thread);
    trace_.push_op(R"({"op":"torch::autograd::AccumulateGrad"})", {}, thread);
    trace_.push_op(R"({"op":"aten::add_","args":[{"shape":[3,4]},{"shape":[3,4]},{"value":1}]})",
                   {}, thread);
    trace_.kernel("kernel", 100, thread);
    for (int i = 0; i < 3; ++i) trace_.pop(thread);
  }
  std::vector<OpAttribution> attribute() {
    const auto cursor = attribute_work(trace_);
    std::vector<OpAttribution> rows;
    while (const AttributedRow* item = cursor->next()) rows.push_back(*item->attribution.op);
    counts_ = cursor->counts();
    return rows;
  }

  fakes::FakeTrace trace_;
  AttributionCounts counts_;
};

TEST_F(OpFacts, NodesAreLinkedByNumber) {
  forward(12, 1, "fc");
  backward(12, 0);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].direction, Direction::kFprop);
  ASSERT_TRUE(rows[0].gemm);
  EXPECT_EQ(rows[0].gemm->m, 3);
  EXPECT_EQ(rows[1].layer, "fc");
  EXPECT_EQ(rows[1].direction, Direction::kBprop);
  EXPECT_EQ(rows[1].op_inner, "aten::mm");
  EXPECT_EQ(counts_.links.linked, 1U);
}

TEST_F(OpFacts, AGradientIsAccumulatedForTheNodeBefore) {
  constexpr std::uint32_t kThread = 9;
  forward(12, 1, "one");
  forward(13, 1, "two");
  backward(13, 1);
  accumulate(kThread);
  accumulate(kThread);
  backward(12, 1);
  accumulate(kThread);
  accumulate(8);  // where no node was evaluated
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[3].op, "accumulate_grad");
  EXPECT_EQ(rows[3].layer, "two");
  EXPECT_EQ(rows[3].direction, Direction::kBprop);
  EXPECT_EQ(rows[4].layer, "two");
  EXPECT_EQ(rows[6].layer, "one");
  EXPECT_EQ(rows[7].layer, "");
  EXPECT_EQ(counts_.links.linked, 5U);
  EXPECT_EQ(counts_.links.missed, 1U);
}

TEST_F(OpFacts, AGradientThatAnotherThreadMayHaveMadeHasNoLayer) {
  constexpr std::uint32_t kOther = 8;
  forward(12, 1, "one");
  forward(13, 1, "two");
  backward(13, 1, kOther);
  backward(12, 1);
  accumulate(9);  // The other thread has been idle since the node.
  backward(13, 1, kOther);
  accumulate(9);  // Of either node.
  accumulate(kOther);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[4].layer, "one");
  EXPECT_EQ(rows[6].op, "accumulate_grad");
  EXPECT_EQ(rows[6].direction, Direction::kBprop);
  EXPECT_EQ(rows[6].layer, "");
  EXPECT_EQ(rows[7].layer, "two");
  EXPECT_EQ(counts_.links.missed, 1U);
}

TEST_F(OpFacts, NodesOfAnotherThreadCountWhileTheyRun) {
  constexpr std::uint32_t kOther = 8;
  forward(12, 1, "one");
  trace_.push_op(R"({"op":"PowBackward0"})", 11, kOther, 1);
  backward(12, 1);
  accumulate(9);
  trace_.pop(kOther);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].layer, "");
}

TEST_F(OpFacts, AutocastConvertsInsideTheOp) {
  trace_.push_op(R"({"op":"aten::linear","args":[{"shape":[8,4],"dtype":"float32"},)"
                 R"({"shape":[3,4],"dtype":"float32"},{"shape":[3],"dtype":"float32"}]})",
                 10);
  trace_.push_op(kAddmmSignature, 12);
  trace_.kernel("nvjet_sm90_hsh_64x64_64x13_2x1_v_bz_bias_TNT");
  trace_.pop();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op, "linear");
  EXPECT_EQ(rows[0].dtype, DType::kFloat16);
  EXPECT_EQ(rows[0].cost.bytes, 2 * (8 * 4 + 3 * 4 + 3 + 8 * 3));
}

TEST_F(OpFacts, TheStatedThreadDecidesBetweenEqualNumbers) {
  forward(12, 1, "one");
  forward(12, 2, "two");
  backward(12, 1);
  backward(12, 2);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2].layer, "one");
  EXPECT_EQ(rows[3].layer, "two");
  EXPECT_EQ(counts_.links.ambiguous, 0U);
}

TEST_F(OpFacts, ValuesGiveAConvolutionItsCost) {
  trace_.push_op(R"({"op":"aten::conv2d","args":[{"shape":[2,3,16,16],"dtype":"float16"},)"
                 R"({"shape":[4,3,7,7],"dtype":"float16"},null,{"value":[2,2]},{"value":[3,3]},)"
                 R"({"value":[1,1]},{"value":1}]})",
                 10);
  trace_.kernel("kernel");
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].params, "N=2,C=3,H=16,W=16,K=4,P=8,Q=8,R=7,S=7");
  EXPECT_EQ(rows[0].cost.flops, 2.0 * 512 * 147);
  EXPECT_EQ(rows[0].cost.bytes, 2.0 * (1536 + 588 + 512));
}

TEST_F(OpFacts, MalformedOnesAreCounted) {
  trace_.push_op("{");
  trace_.kernel("kernel");
  trace_.pop();
  EXPECT_EQ(attribute().size(), 1U);
  EXPECT_EQ(counts_.malformed_op_texts, 1U);
}

}  // namespace
}  // namespace prof
