// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the names of Inductor's kernels say. Most names are of recordings.
#include "analyzers/ops/triton_kernels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analyzers/kernels/kernel_facts.hpp"

namespace prof::ops {
namespace {

struct Fused {
  std::string_view kernel, word;
};

constexpr Fused kFused[] = {
    {"triton_poi_fused_mul_silu_view_2", "fused: mul+silu+view"},
    {"triton_poi_fused_add_addmm_native_dropout_view_3", "fused: add+addmm+native_dropout+view"},
    {"triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_4",
     "fused: add+native_layer_norm+native_layer_norm_backward+view"},
    {"triton_poi_fused_mul_silu_silu_backward_view_1", "fused: mul+silu+silu_backward+view"},
    {"triton_poi_fused__native_batch_norm_legit_functional_add_relu_18",
     "fused: _native_batch_norm_legit_functional+add+relu"},
    {"triton_poi_fused_add_max_pool2d_with_indices_max_pool2d_with_indices_backward_36",
     "fused: add+max_pool2d_with_indices+max_pool2d_with_indices_backward"},
    {"triton_poi_fused__to_copy_5", "fused: _to_copy"},
    {"triton_poi_fused__scaled_dot_product_efficient_attention__unsafe_view_add_constant_pad_nd_5",
     "fused: _scaled_dot_product_efficient_attention+_unsafe_view+add+constant_pad_nd"},
    {"triton_per_fused__scaled_dot_product_flash_attention_backward_3",
     "fused: _scaled_dot_product_flash_attention_backward"},
    {"triton_poi_fused_add_copy__34", "fused: add+copy_"},
    {"triton_poi_fused_copy__mul_1", "fused: copy_+mul"},
    {"triton_poi_fused_embedding_dense_backward_12", "fused: embedding_dense_backward"},
    {"triton_spl_fused_cumsum_0", "fused: cumsum"},
    {"triton_unk_fused_sum_0", "fused: sum"},
    {"triton_fused_add_relu_3", "fused: add+relu"},
    {"triton_poi_fused_add_mul_0_0d1d2de", "fused: add+mul"},
    // Other names than those of ATen's ops, as a program may choose.
    {"triton_poi_fused_add_my_own_gate_relu_7", "fused: add+my_own_gate+relu"},
    {"triton_poi_fused_my_own_gate_7", "fused: my_own_gate"},
    {"triton_poi_fused_add_1_mul_2_0", "fused: add+mul"},
    // Templates.
    {"triton_tem_fused_mm_1", "mm"},
    {"triton_tem_fused__to_copy_addmm_gelu_t_view_9", "addmm"},
    {"triton_tem_fused__to_copy_convolution_repeat_unsqueeze_view_2", "convolution"},
    {"triton_tem_fused_flex_attention_permute_select_view_0", "flex_attention"},
    {"triton_tem_fused_flex_attention_backward_split_transpose_5", "flex_attention"},
    {"triton_tem_fused_add_relu_5", "fused: add+relu"},
    {"triton_tem_fused_addmm_mm_5", "fused: addmm+mm"},
    // No ops.
    {"triton_", ""},
    {"triton_poi_", ""},
    {"triton__0d1d2d3d4d5d6d", ""},
    {"triton_for_fused_0", ""},
    {"triton_poi_fused_0", ""},
    {"triton_poi_fused_add", ""},
    {"triton_poi_fused__5", ""},
    {"triton_pointwise_fused_add_0", ""},
    {"triton_mm", ""},
    {"triton_rms_norm_kernel", ""},
    {"cutlass_fused_mm_0", ""},
    {"cpp_fused_add_0", ""},
    {"my_triton_poi_fused_add_0", ""},
    {"", ""},
};

TEST(TritonKernels, AreNamedAfterTheirOps) {
  for (const auto& [kernel, word] : kFused) {
    EXPECT_EQ(fused_word(kernel), word) << kernel;
    EXPECT_EQ(fused_ops(kernel).empty(), word.empty()) << kernel;
  }
}

TEST(TritonKernels, AreOfABackwardPassIfTheForwardOpIsNotBesideItsBackward) {
  for (const char* kernel :
       {"triton_poi_fused_add_clone_permute_select_backward_8",
        "triton_per_fused_div_expand_native_batch_norm_backward_threshold_backward_view_1",
        "triton_poi_fused_embedding_dense_backward_12", "triton_poi_fused_gelu_backward_1",
        "triton_per_fused__softmax_backward_data_2"}) {
    EXPECT_TRUE(is_fused_backward(kernel)) << kernel;
  }
  for (const char* kernel :
       {"triton_poi_fused_mul_silu_view_2", "triton_poi_fused_mul_silu_silu_backward_view_1",
        // Of the forward pass: what the backward needs is computed early.
        "triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_4",
        "triton_per_fused__native_batch_norm_legit_functional_mean_relu_threshold_backward_33",
        "gelu_backward", ""}) {
    EXPECT_FALSE(is_fused_backward(kernel)) << kernel;
  }
}

TEST(TritonKernels, AreOpsOfTheirNamespaceOrName) {
  for (const char* op : {"triton::add_kernel", "triton_poi_fused_gelu_6", "triton_for_fused_0"}) {
    EXPECT_TRUE(is_triton_kernel(op)) << op;
  }
  for (const char* op : {"aten::mm", "triton_", "triton_rms_norm", "mylib::triton_poi_fused_0"}) {
    EXPECT_FALSE(is_triton_kernel(op)) << op;
  }
}

TEST(TritonKernels, HadASuffix) {
  EXPECT_EQ(without_specialization("add_kernel_0d1d2d3de"), "add_kernel");
  for (const char* name : {"add_kernel", "kernel_01", "_0d1d2", "0d1d2", "kernel_0d1x", ""}) {
    EXPECT_EQ(without_specialization(name), name);
  }
}

/// Words of other libraries are in their names.
TEST(TritonKernels, AreOfNoOtherLibrary) {
  for (const char* kernel :
       {"triton_poi_fused__scaled_dot_product_cudnn_attention_backward_view_3",
        "triton_poi_fused_cudnn_batch_norm_2", "triton_per_fused_one_shot_all_reduce_0"}) {
    const std::string_view family = kernels::facts(kernel).family;
    EXPECT_TRUE(family.starts_with("inductor/")) << kernel << ": " << family;
  }
}

}  // namespace
}  // namespace prof::ops
