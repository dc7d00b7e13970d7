// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/signatures.hpp"

#include <gtest/gtest.h>

#include "analyzers/kernels/kernel_facts.hpp"

namespace prof::kernels {
namespace {

struct SignatureCase {
  std::string_view name;
  TensorCore answer;
  DType dtype;
};

constexpr TensorCore kYes = TensorCore::kYes;
constexpr TensorCore kNo = TensorCore::kNo;
constexpr TensorCore kUnknown = TensorCore::kUnknown;

TEST(Signatures, TensorCoreAndDType) {
  const SignatureCase cases[] = {
      // Libraries' names, oldest first.
      {"maxwell_scudnn_128x64_relu_small_nn", kNo, DType::kFloat32},
      {"volta_sgemm_128x64_tn", kNo, DType::kFloat32},
      {"volta_dgemm_64x64_nt", kNo, DType::kFloat64},
      {"volta_fp16_sgemm_fp16_128x128_tn", kNo, DType::kFloat16},
      {"volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn", kYes, DType::kFloat16},
      {"volta_h884gemm_64x64_ldg8_nn", kYes, DType::kFloat16},
      {"turing_fp16_s1688gemm_fp16_128x256_ldg8_f2f_tn", kYes, DType::kFloat16},
      {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_tn_v1", kYes, DType::kFloat16},
      {"ampere_sgemm_128x64_tn", kNo, DType::kFloat32},
      {"ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_tn", kYes, DType::kFloat16},
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn", kYes, DType::kBFloat16},
      {"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_"
       "tensor16x8x16_kernel",
       kYes, DType::kFloat16},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_"
       "alignc4_execute_kernel__5x_cublas",
       kNo, DType::kFloat32},
      {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_tensor16x8x8_kernel", kYes,
       DType::kTFloat32},
      {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64", kYes,
       DType::kFloat16},
      {"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64", kYes,
       DType::kBFloat16},
      {"sm90_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_tilesize128x128x64", kYes, DType::kFloat16},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_cgasize1x2x1", kYes,
       DType::kFloat8E4M3},
      {"cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_128x128x64", kYes,
       DType::kFloat16},
      {"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNN", kYes, DType::kFloat16},
      {"nvjet_sm90_hsh_128x128_64x6_1x2_h_bz_splitK_NTT", kYes, DType::kFloat16},
      {"nvjet_tst_192x128_64x5_1x2_h_bz_coopB_bias_TNT", kYes, DType::kBFloat16},
      {"nvjet_qqtst_128x256_128x4_1x2_h_bz_coopA_TNT", kYes, DType::kFloat8E4M3},
      // Where only the template argument tells.
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nt_align1>(T1::Params)", kNo,
       DType::kFloat32},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x4_tn_align4>(T1::Params)",
       kYes, DType::kTFloat32},
      {"void "
       "cutlass::Kernel2<cutlass_75_wmma_tensorop_f16_s161616gemm_f16_32x32_64x1_tn_align1>(P)",
       kYes, DType::kFloat16},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<X, "
       "cutlass::gemm::collective::CollectiveMma<"
       "cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<4>, cute::tuple<>, cutlass::half_t, "
       "cute::TiledMMA<cute::MMA_Atom<"
       "cute::SM90_64x128x16_F32F16F16_SS<(cute::GMMA::Major)0>>>>>>(P)",
       kYes, DType::kFloat16},
      {"void cutlass::Kernel<cutlass::gemm::kernel::Gemm<X<cutlass::arch::OpClassSimt>>>(P)", kNo,
       DType::kUnknown},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
       "cutlass::half_t>, false>(Flash_fwd_params)",
       kYes, DType::kFloat16},
      {"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<T<64, "
       "cutlass::bfloat16_t>>(P)",
       kYes, DType::kBFloat16},
      {"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, T<cutlass::half_t>>(P)", kNo,
       DType::kFloat16},
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)", kYes,
       DType::kFloat16},
      {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)", kYes,
       DType::kFloat32},
      {"fmha_cutlassF_f32_aligned_64x64_rf_sm70(PyTorchMemEffAttention::Params)", kNo,
       DType::kFloat32},
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm50(PyTorchMemEffAttention::Params)", kNo,
       DType::kFloat16},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x64", kYes,
       DType::kUnknown},
      {"triton_mm", kUnknown, DType::kUnknown},
      {"triton_tem_fused_addmm_3", kUnknown, DType::kUnknown},
      {"triton_poi_fused_add_0", kNo, DType::kUnknown},
      // Not matrix products, or products without tensor cores.
      {"void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false>(P)",
       kNo, DType::kFloat16},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, "
       "float>(P)",
       kNo, DType::kBFloat16},
      {"void gemmk1_kernel<int, float, 256, 5, false, false, false, false>(P)", kNo,
       DType::kFloat32},
      {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>>>(P)", kNo,
       DType::kFloat32},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __half, float, __half, false>(P)",
       kNo, DType::kFloat16},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, X>(int)",
       kNo, DType::kFloat32},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<double, X>>(R)", kNo,
       DType::kFloat64},
      {"void cub::DeviceReduceKernel<X>(int)", kNo, DType::kUnknown},
      // A program's own kernels: the name does not tell.
      {"my_kernel", kUnknown, DType::kUnknown},
      {"void interaction<3>(int*)", kUnknown, DType::kUnknown},
      {"", kUnknown, DType::kUnknown},
  };
  for (const SignatureCase& c : cases) {
    const KernelFacts got = facts(c.name);
    EXPECT_EQ(got.tensor_core, c.answer) << c.name;
    EXPECT_EQ(got.operand_dtype, c.dtype) << c.name;
  }
}

bool is_helper(std::string_view name) { return facts(name).is_helper; }

TEST(Signatures, Helpers) {
  EXPECT_TRUE(is_helper("cublasLt::splitKreduce_kernel"));
  EXPECT_TRUE(is_helper("splitKreduce_kernel"));
  EXPECT_TRUE(is_helper("cudnn::ops::nchwToNhwcKernel"));
  EXPECT_TRUE(is_helper("cub::DeviceScanInitKernel"));
  EXPECT_FALSE(is_helper("nvjet_sm90_hsh_128x128_64x6_1x2_h_bz_splitK_NTT"));
  EXPECT_FALSE(is_helper("reduce_kernel"));
  EXPECT_FALSE(is_helper(""));
}

TEST(Signatures, FactsOfAMangledName) {
  const KernelFacts got = facts(
      "_ZN7cutlass7Kernel2I58cutlass_75_tensorop_f16_s1688gemm_f16_128x128_tn_align1abcEEvNT_"
      "6ParamsE");
  EXPECT_EQ(got.short_name, "cutlass::Kernel2");
  EXPECT_EQ(got.tensor_core, TensorCore::kYes);
  EXPECT_FALSE(got.is_helper);
}

}  // namespace
}  // namespace prof::kernels
