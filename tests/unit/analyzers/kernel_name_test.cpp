// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/kernel_name.hpp"

#include <gtest/gtest.h>

namespace prof::kernels {
namespace {

struct ShortNameCase {
  std::string_view full, cut;
};

TEST(KernelName, ShortNames) {
  constexpr ShortNameCase kCases[] = {
      {"volta_sgemm_128x64_tn", "volta_sgemm_128x64_tn"},
      {"nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_bias_TNN",
       "nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_bias_TNN"},
      {"void saxpy<float>(int, float, float const*, float*)", "saxpy"},
      {"relu_kernel(float*, int)", "relu_kernel"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
       "at::detail::Array<char*, 1> >"
       "(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
       "vectorized_elementwise_kernel"},
      {"void at::native::legacy::elementwise_kernel<512, 1, void "
       "at::native::gpu_kernel_impl<at::native::(anonymous "
       "namespace)::direct_copy_kernel_cuda(at::TensorIterator&)::{lambda()#3}::operator()() "
       "const::{lambda(float)#1}> >(int)",
       "legacy::elementwise_kernel"},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::TensorListMetadata<1>, std::plus<float>, float>(at::native::(anonymous "
       "namespace)::TensorListMetadata<1>)",
       "multi_tensor_apply_kernel"},
      {"void (anonymous namespace)::softmax_warp_forward<c10::Half, float, float, 7, false, "
       "false>(float*, int)",
       "softmax_warp_forward"},
      {"(anonymous namespace)::k(int)", "k"},
      {"void "
       "cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_64x64_nn_align1>(cutlass_75_x::"
       "Params)",
       "cutlass::Kernel2"},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __half, "
       "false>(cublasLt::cublasSplitKParams<float>)",
       "cublasLt::splitKreduce_kernel"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __half, 128, 16, "
       "true>"
       "(cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__half const>, float>)",
       "internal::gemvx::kernel"},
      {"void gemv2T_kernel_val<int, int, __half, (bool)1, (int)7>(T13, T6)", "gemv2T_kernel_val"},
      {"void "
       "at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::Policy<(a)1>::P, "
       "false>(int)",
       "at_cuda_detail::cub::DeviceRadixSortOnesweepKernel"},
      // Brackets that are operators.
      {"void f<(1)>(2), ((int)3)<(4)>(float*)", "f"},
      {"void k<(((int)1)>((int)0))>(float*)", "k"},
      {"void k<std::enable_if<((3)<(4)), int>::type>(int)", "k"},
      {"bool ns::operator< <int>(ns::T<int> const&, ns::T<int> const&)", "ns::operator<"},
      {"ns::operator<<(ns::T const&, int)", "ns::operator<<"},
      {"ns::T::operator->() const", "ns::T::operator->"},
      {"ns::T<int>::operator()(int) const", "ns::T::operator()"},
      {"void ns::T::operator()<float>(float)", "ns::T::operator()"},
      {"ns::T::operator bool() const", "ns::T::operator bool"},
      {"ns::T::operator unsigned int() const", "ns::T::operator unsigned int"},
      {"myoperator(int)", "myoperator"},
      {"operatorx<int>(int)", "operatorx"},
      // Lambdas and what is local to a function.
      {"void launch<main::{lambda(int, float)#1}>(main::{lambda(int, float)#1})", "launch"},
      {"main::{lambda(int, float)#1}::operator()(int, float) const",
       "main::{lambda(int, float)#1}::operator()"},
      {"outer(int, char)::{lambda(int)#2}::operator()(int) const",
       "outer::{lambda(int)#2}::operator()"},
      {"ns::T::run(int) const::local(float)", "ns::T::run::local"},
      {"run<int>(int)::Local::go(float)", "run::Local::go"},
      // Types with spaces and parentheses before the name.
      {"unsigned long long ns::f<int>(int)", "ns::f"},
      {"decltype(auto) ns::f(int)", "ns::f"},
      {"decltype ((a<b>)(1)) ns::f<int>(int)", "ns::f"},
      {"float* ns::f(int)", "ns::f"},
      // What compilers add behind.
      {"void f<int>(int) [clone .constprop.0]", "f"},
      {"f[abi:cxx11](int)", "f"},
      // Names as other tools write them, and names that cannot be read.
      {"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
      {"<unknown>", "<unknown>"},
      {"f<", "f"},
      {"f<(", "f"},
      {"f<int", "f"},
      {"f>", "f>"},
      {"(", "("},
      {")", ")"},
      {"()", "()"},
      {" ", " "},
      {"::", "::"},
      {"", ""},
      {"at::native::", "at::native::"},
      {"(anonymous namespace)", "(anonymous namespace)"},
      {"operator", "operator"},
      {"operator<", "operator<"},
      {"{", "{"},
  };
  for (const ShortNameCase& c : kCases) EXPECT_EQ(short_name(c.full), c.cut) << c.full;
}

TEST(KernelName, Demangles) {
  EXPECT_EQ(demangle("_Z5saxpyIfEviT_PKS0_PS0_"),
            "void saxpy<float>(int, float, float const*, float*)");
  EXPECT_EQ(demangle("volta_sgemm_128x64_tn"), "volta_sgemm_128x64_tn");
  EXPECT_EQ(demangle("_Zgarbage"), "_Zgarbage");
  EXPECT_EQ(demangle("_Z"), "_Z");
  EXPECT_EQ(demangle(""), "");
}

TEST(KernelName, ShortNamesOfMangledNames) {
  EXPECT_EQ(short_name(demangle("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
                                "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_")),
            "vectorized_elementwise_kernel");
  EXPECT_EQ(short_name(demangle("_ZN12_GLOBAL__N_14kernEPf")), "kern");
  EXPECT_EQ(short_name(demangle("_ZZ4mainENKUlifE_clEif")),
            "main::{lambda(int, float)#1}::operator()");
}

// Seen in cuDNN: nvcc's symbol for a CUTLASS convolution, which libstdc++ refuses to demangle.
TEST(KernelName, ShortNamesOfSymbolsThatCannotBeDemangled) {
  const std::string symbol = "_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemm!EEvNT_E";
  ASSERT_EQ(demangle(symbol), symbol);
  EXPECT_EQ(short_name(symbol), "cutlass__5x_cudnn::Kernel");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_14kern?"), "kern");
  EXPECT_EQ(short_name("_Z5saxpy?"), "saxpy");
  EXPECT_EQ(short_name("_Z99saxpy"), "_Z99saxpy");
  EXPECT_EQ(short_name("_ZN99999999999999999999x"), "_ZN99999999999999999999x");
}

}  // namespace
}  // namespace prof::kernels
