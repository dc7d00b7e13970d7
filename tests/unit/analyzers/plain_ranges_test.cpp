// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What plain names say; cases/plain_ranges.txt has programs that annotate nothing else.
#include <gtest/gtest.h>

#include <string_view>

#include "analyzers/facts/plain_names.hpp"

namespace prof {
namespace {

TEST(PlainNames, SayTheirPass) {
  const auto pass = [](std::string_view name) { return named_pass(name).direction; };
  for (const std::string_view name :
       {"forward", "layernorm_forward", "layerNormForward", "GELUFwd", "conv2d.fprop", "fwd 3",
        "Net::forward", "attention_forward_cudnn", "feed_forward_fwd"}) {
    EXPECT_EQ(pass(name), Direction::kFprop) << name;
  }
  for (const std::string_view name :
       {"backward", "gpt2_backward_and_reduce", "GELUBackward", "conv-bwd", "wgrad",
        "compute_dgrad", "layer_norm_grad", "multi_gpu_async_reduce_gradient", "backward_grad"}) {
    EXPECT_EQ(pass(name), Direction::kBprop) << name;
  }
  for (const std::string_view name :
       {"gpt2_update", "AdamW", "optimizer.step", "sgd_apply_gradients", "clip_grad_norm",
        "zeroGrad", "gpt2_calculate_grad_norm", "unscale_gradients", "update_weights"}) {
    EXPECT_EQ(pass(name), Direction::kUpdate) << name;
  }
}

TEST(PlainNames, WordsThatMisleadSayNothing) {
  for (const std::string_view name :
       {"", "softmax", "step 3", "forwarder", "adamant", "feed_forward", "FeedForward",
        "forward_declare", "backward_compatible", "update_lr", "kv_cache_update",
        "update_positions", "no_grad", "gradient_checkpoint", "GradientCheckpointing",
        "gradient_accumulation", "forward_backward", "fwd_bwd_update", "grad_forward"}) {
    EXPECT_EQ(named_pass(name).direction, Direction::kNone) << name;
  }
}

TEST(PlainNames, InnermostNameThatSaysSomethingWins) {
  EXPECT_EQ(named_pass("forward:Layer 3:softmax").direction, Direction::kFprop);
  EXPECT_EQ(named_pass("forward:Layer 3", "softmax_backward").direction, Direction::kBprop);
  EXPECT_EQ(named_pass("backward:optimizer_step:x").direction, Direction::kUpdate);
  EXPECT_EQ(named_pass("backward:forward_backward:x").direction, Direction::kNone)
      << "of both, whatever is around it";
}

TEST(PlainNames, ForwardInsideOfBackwardRunsAgain) {
  const NamedPass again = named_pass("gpt2_backward:Layer 3:gelu_forward");
  EXPECT_EQ(again.direction, Direction::kBprop);
  EXPECT_TRUE(again.runs_again);
  const NamedPass first = named_pass("forward_backward:gelu_forward");
  EXPECT_EQ(first.direction, Direction::kFprop);
  EXPECT_FALSE(first.runs_again);
  EXPECT_EQ(named_pass("optimizer:closure:forward").direction, Direction::kFprop);
  EXPECT_EQ(named_pass("backward:gradient_checkpoint:block_fwd").direction, Direction::kBprop);
}

TEST(PlainNames, PassesStepsAndLayersAreNoOperations) {
  for (const std::string_view name :
       {"forward", "Layer 3", "block3", "layer[3]", "step #5", "train", "Epoch 2", "optimizer step",
        "backward_pass", "17", ""}) {
    EXPECT_FALSE(names_operation(name)) << name;
  }
  for (const std::string_view name :
       {"layernorm_forward", "matmul 3", "gpt2_update", "adam", "softmax", "行列積"}) {
    EXPECT_TRUE(names_operation(name)) << name;
  }
}

TEST(PlainNames, AnOperationHasNoNumbersOfItsTurns) {
  EXPECT_EQ(operation_of("request 17 of a user"), "request * of a user");
  EXPECT_EQ(operation_of("17"), "*");
  EXPECT_EQ(operation_of("decode_12_attention#3"), "decode_*_attention#*");
  EXPECT_EQ(operation_of("fused_residual_forward5"), "fused_residual_forward5");
  EXPECT_EQ(operation_of("conv2d"), "conv2d");
}

}  // namespace
}  // namespace prof
