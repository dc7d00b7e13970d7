// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which kernel carries an op's cost, and which gradient it computes: texts and names of kernels as
// PyTorch 2.11 wrote them on an H200.
#include <gtest/gtest.h>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

struct OwnedRow {
  OpAttribution op;
  Attribution own;
  KernelFacts kernel;
};

class CostOwners : public ::testing::Test {
 protected:
  void launch(const std::string& text, const std::string& kernel) {
    trace_.push(text);
    trace_.kernel(kernel);
    trace_.pop();
  }

  /// A forward op, then the node of its gradients, which stays open.
  void forward(const std::string& text, const std::string& node) {
    launch(text, "kernel");
    trace_.push(node);
  }

  std::vector<OwnedRow> attribute() {
    const auto cursor = attribute_work(trace_);
    std::vector<OwnedRow> rows;
    while (const AttributedRow* item = cursor->next()) {
      const Attribution& own = item->attribution;
      rows.push_back({*own.op, own, own.kernel == nullptr ? KernelFacts{} : *own.kernel});
    }
    return rows;
  }

  FakeTrace trace_;
};

constexpr const char* kRadixSort =
    "void at_cuda_detail::cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<long>(long*)";
constexpr const char* kScan =
    "void at_cuda_detail::cub::detail::scan::DeviceScanKernel<long, at::cuda::cub::SumOp>(long*)";
constexpr const char* kScanInit =
    "void at_cuda_detail::cub::detail::scan::DeviceScanInitKernel<long>(long*)";
constexpr const char* kArange =
    "void (anonymous namespace)::elementwise_kernel_with_index<int, "
    "at::native::arange_cuda_out>(int)";
constexpr const char* kTopK =
    "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(unsigned int)";
constexpr const char* kBitonicSort =
    "void at::native::bitonicSortKVInPlace<2, -1, 16, 16, float, long>(unsigned int)";
constexpr const char* kHalfSum =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::Half>>(int)";
constexpr const char* kNormOfData =
    "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float, "
    "false>(float const*, float const*, float const*, float const*, float const*, float*, int)";
constexpr const char* kNormOfWeight =
    "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<float, float, "
    "32u, "
    "32u, 256u, false, true, false>(long, long, float const*, float const*, float const*, float "
    "const*, float*, float*)";
constexpr const char* kNvjetNN = "nvjet_sm90_hsh_64x8_64x16_2x4_h_bz_NNT";
constexpr const char* kNvjetNT = "nvjet_sm90_hsh_64x32_64x16_2x4_h_bz_NTT";
constexpr const char* kNvjetTN = "nvjet_sm90_tst_64x8_64x16_2x4_h_bz_TNT";
constexpr const char* kXmmaGemm =
    "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_"
    "alignc4_execute_kernel__5x_cublas";
constexpr const char* kXmmaReduction =
    "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_"
    "alignc4_execute_split_k_kernel__5x_cublas";
constexpr const char* kReduction = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)";

TEST_F(CostOwners, SortsAndScansPrepareTheGradientOfATable) {
  trace_.push("aten::embedding_dense_backward, sizes = [[32768, 128], [32768], [], [], []]");
  for (const char* kernel :
       {kArange, kRadixSort, kRadixSort,
        "void at_cuda_detail::cub::detail::unique_by_key::DeviceUniqueByKeySweepKernel<long>(int)",
        "void at::native::(anonymous namespace)::krn_partials_per_segment<long>(long*)", kScanInit,
        kScan, "void at::native::(anonymous namespace)::krn_partial_segment_offset<long>(long*)",
        "void at::native::(anonymous namespace)::compute_grad_weight<float, long>(long const*)",
        "void at::native::(anonymous namespace)::sum_and_scatter<float, long>(long const*)"}) {
    trace_.set_grid(kernel, {1000, 1, 1});
    trace_.kernel(kernel);
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 10U);
  for (const OwnedRow& row : rows) {
    const bool computes = row.kernel.short_name == "compute_grad_weight";
    EXPECT_EQ(row.own.main, computes) << row.kernel.short_name;
    EXPECT_EQ(row.own.share, computes ? 1 : 0) << row.kernel.short_name;
  }
}

TEST_F(CostOwners, ASortPreparesValuesThatArePutAtIndices) {
  trace_.push(
      "aten::_index_put_impl_, sizes = [[32768, 27, 27], [351], [351], [32768, 351], [], []]");
  trace_.kernel(kRadixSort);
  trace_.kernel("void (anonymous namespace)::indexing_backward_kernel_stride_1<c10::Half>(long)");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].own.main);
  EXPECT_EQ(rows[1].own.share, 1);
}

TEST_F(CostOwners, ASortIsTheWorkOfAnOpThatSorts) {
  launch("aten::sort, sizes = [[1048576], [], []]", kRadixSort);
  trace_.push("aten::argsort, sizes = [[1048576], [], []]");
  trace_.kernel(kArange);
  trace_.kernel(kRadixSort);
  trace_.pop();
  trace_.push("aten::cumsum, sizes = [[1048576], [], []]");
  trace_.kernel(kScanInit);
  trace_.kernel(kScan);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_TRUE(rows[0].own.main);
  EXPECT_TRUE(rows[2].own.main);
  EXPECT_FALSE(rows[3].own.main);
  EXPECT_EQ(rows[4].own.share, 1);
}

TEST_F(CostOwners, OfTopKASortIsTheWorkUnlessAKernelSelects) {
  trace_.push("aten::topk, sizes = [[64, 1000], [], [], [], []]");
  trace_.kernel(kTopK);
  trace_.kernel(kBitonicSort);
  trace_.pop();
  launch("aten::topk, sizes = [[64, 1000], [], [], [], []]", kRadixSort);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].own.share, 1);
  EXPECT_FALSE(rows[1].own.main);
  EXPECT_TRUE(rows[2].own.main);
  EXPECT_EQ(rows[2].own.share, 1);
}

TEST_F(CostOwners, OfAnUnknownOpNobodyKnowsWhatASortIsFor) {
  trace_.push("mylib::rank_documents, sizes = [[64, 1000]]");
  trace_.kernel(kRadixSort);
  trace_.kernel("my_kernel");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].own.main);
  EXPECT_TRUE(rows[1].own.main);
}

TEST_F(CostOwners, KernelsThatShareByThreadsAreEstimated) {
  launch("aten::linear, sizes = [[16, 32], [8, 32], []]", "one");
  trace_.push("aten::linear, sizes = [[16, 32], [8, 32], []]");
  trace_.kernel("two");
  trace_.kernel("three");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].own.basis, Basis::kExact);
  EXPECT_EQ(rows[1].own.basis, Basis::kEstimated);
  EXPECT_EQ(*rows[1].own.cost.flops + *rows[2].own.cost.flops, *rows[0].own.cost.flops);
}

TEST_F(CostOwners, TheGradientsOfANormsParametersHaveACostOfTheirOwn) {
  trace_.push(
      "aten::native_layer_norm_backward, sizes = [[4, 128, 1024], [4, 128, 1024], [], [4, 128, 1], "
      "[4, 128, 1], [1024], [1024], []]");
  trace_.kernel(kNormOfData);
  trace_.kernel(kNormOfWeight);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  constexpr double kElements = 4.0 * 128 * 1024;
  EXPECT_EQ(rows[0].op.part, Part::kData);
  EXPECT_EQ(rows[0].own.cost.flops, 10 * kElements);
  EXPECT_EQ(rows[0].own.cost.bytes, 4 * (3 * kElements + 2 * 512 + 1024)) << "dy, x; dx";
  EXPECT_EQ(rows[1].op.part, Part::kWeight);
  EXPECT_EQ(rows[1].own.cost.flops, 4 * kElements);
  EXPECT_EQ(rows[1].own.cost.bytes, 4 * (2 * kElements + 2 * 512 + 2 * 1024)) << "dy, x again";
}

TEST_F(CostOwners, OneKernelForAllGradientsOfANormCostsAsMuchAsTheOp) {
  trace_.push(
      "aten::native_layer_norm_backward, sizes = [[4, 128, 1024], [4, 128, 1024], [], [4, 128, 1], "
      "[4, 128, 1], [1024], [1024], []]");
  trace_.kernel("void layer_norm::ln_bwd_kernel<float>(layer_norm::BwdParams)");
  trace_.kernel("void layer_norm::ln_bwd_finalize_kernel<float>(layer_norm::BwdParams)");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].op.part, Part::kNone);
  EXPECT_EQ(rows[0].own.cost.flops, 14.0 * 4 * 128 * 1024);
  EXPECT_FALSE(rows[1].own.main);
}

TEST_F(CostOwners, AConvolutionSumsUpForItsBias) {
  forward("aten::conv2d, seq = 7, sizes = [[32, 3, 224, 224], [64, 3, 7, 7], [64], [], [], [], []]",
          "ConvolutionBackward0, seq = 7, sizes = [[32, 64, 112, 112]]");
  launch("aten::sum, sizes = [[32, 64, 112, 112], [], [], []]", kHalfSum);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.op, "conv2d");
  EXPECT_EQ(rows[1].op.part, Part::kBias);
}

TEST_F(CostOwners, AConvolutionWithoutABiasSumsUpSomethingElse) {
  forward("aten::conv2d, seq = 7, sizes = [[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []]",
          "ConvolutionBackward0, seq = 7, sizes = [[32, 64, 112, 112]]");
  launch("aten::sum, sizes = [[32, 64, 112, 112], [], [], []]", kHalfSum);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.part, Part::kNone);
}

TEST_F(CostOwners, ASquareLinearsGradientsAreToldByTheirLayouts) {
  forward("aten::linear, seq = 12, sizes = [[64, 64], [64, 64], []]",
          "MmBackward0, seq = 12, sizes = [[64, 64]]");
  launch("aten::mm, sizes = [[64, 64], [64, 64]]", kNvjetNT);
  launch("aten::mm, sizes = [[64, 64], [64, 64]]", kNvjetNN);
  launch("aten::mm, sizes = [[64, 64], [64, 64]]", kNvjetTN);
  launch("aten::mm, sizes = [[64, 64], [64, 64]]", "gemmSN_TN_kernel");
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  const Part parts[] = {Part::kNone, Part::kWeight, Part::kData, Part::kData, Part::kNone};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.part, parts[i]) << i;
    EXPECT_EQ(rows[i].own.cost.flops, 2.0 * 64 * 64 * 64);
    EXPECT_EQ(rows[i].own.basis, Basis::kExact);
  }
}

TEST_F(CostOwners, ALayoutDoesNotTellWhereOneColumnIsTheSameInBoth) {
  forward("aten::linear, seq = 12, sizes = [[1, 64], [1, 64], []]",
          "MmBackward0, seq = 12, sizes = [[1, 1]]");
  launch("aten::mm, sizes = [[1, 1], [1, 64]]", kNvjetNN);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].op.part, Part::kNone);
}

TEST_F(CostOwners, AReductionTellsThatTheProductBeforeItWasSplit) {
  launch("aten::mm, sizes = [[64, 32], [32, 16]]", kXmmaGemm);
  trace_.push("aten::mm, sizes = [[64, 32], [32, 16]]");
  trace_.kernel(kXmmaGemm);
  trace_.kernel(kXmmaReduction);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].kernel.split_k) << "of another op";
  EXPECT_EQ(rows[1].kernel.split_k, true);
  EXPECT_FALSE(rows[2].kernel.split_k);
}

TEST_F(CostOwners, AReductionComputesTheGradientOfTheProductBeforeIt) {
  forward("aten::linear, seq = 12, sizes = [[64, 64], [64, 64], []]",
          "MmBackward0, seq = 12, sizes = [[64, 64]]");
  trace_.push("aten::mm, sizes = [[64, 64], [64, 64]]");
  trace_.kernel("nvjet_sm90_hsh_128x128_64x6_2x1_v_bz_splitK_NTT");
  trace_.kernel(kReduction);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].op.part, Part::kWeight);
  EXPECT_EQ(rows[2].op.part, Part::kWeight);
  EXPECT_FALSE(rows[2].own.main);
}

TEST_F(CostOwners, ATensorThatIsBothOperandsIsReadOnce) {
  trace_.push(R"({"v":1,"mod":"prof","op":"bmm","args":[{"name":"a","role":"in","type":"tensor",)"
              R"("shape":[8,27,16],"dtype":"float32"},{"name":"b","role":"in","type":"tensor",)"
              R"("shape":[8,27,16],"dtype":"float32","same_as":"a"}],"attrs":{"trans_b":true}})");
  trace_.kernel(kNvjetNN);
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].own.cost.flops, 2.0 * 8 * 27 * 27 * 16);
  EXPECT_EQ(rows[0].own.cost.read, 4.0 * 8 * 27 * 16);
  EXPECT_EQ(rows[0].own.cost.written, 4.0 * 8 * 27 * 27);
}

TEST_F(CostOwners, ATensorIsTheSameOnlyAsAnInputBeforeItOfThatSize) {
  for (const char* tensor :
       {R"("role":"in","type":"tensor","shape":[8,27,15],"dtype":"float32","same_as":"a")",
        R"("role":"in","type":"tensor","shape":[8,27,16],"dtype":"float16","same_as":"a")",
        R"("role":"in","type":"tensor","shape":[8,27,16],"dtype":"float32","same_as":"c")",
        R"("role":"in","type":"tensor","shape":[8,27,16],"dtype":"float32","same_as":1)",
        R"("role":"out","type":"tensor","shape":[8,27,16],"dtype":"float32","same_as":"a")"}) {
    launch(R"({"v":1,"mod":"prof","op":"bmm","args":[{"name":"a","role":"in","type":"tensor",)"
           R"("shape":[8,27,16],"dtype":"float32"},{"name":"b",)" +
               std::string(tensor) + "}]}",
           "kernel");
  }
  const auto cursor = attribute_work(trace_);
  while (cursor->next() != nullptr) continue;
  EXPECT_EQ(cursor->counts().malformed_op_texts, 5U);
}

}  // namespace
}  // namespace prof
