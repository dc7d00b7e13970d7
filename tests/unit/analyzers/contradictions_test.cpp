// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/checks/contradictions.hpp"

#include <gtest/gtest.h>

#include <set>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

const std::string kHalfGemm = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn";
const std::string kBf16Gemm = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn";
const std::string kFloatGemm = "ampere_sgemm_128x64_nn";
const std::string kTf32Gemm =
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4>(T1::Params)";
const std::string kCopyOfIterator =
    "void at::native::elementwise_kernel<128, 2, "
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>(int)";
const std::string kMultiply =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> "
    ">, std::array<char*, 3> >(int)";
const std::string kFloatSum =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::func_wrapper_t<float, at::native::sum_functor<float> > > >(float)";
const std::string kFlash64 =
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
    "cutlass::half_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::half_t> >, false, true>"
    "(Flash_fwd_params)";

std::string product_text(std::string_view dtype, std::string_view attrs = {}) {
  const std::string type = std::string(":") + std::string(dtype);
  return op_text("matmul", "fprop",
                 "a:in:256x64" + type + " b:in:64x512" + type + " out:out:256x512" + type, {},
                 attrs);
}

/// Words of all contradictions among the kernels of one op, and the number of kernels with any.
struct Shown {
  std::set<std::string_view> words;
  std::uint64_t kernels = 0;
  std::string first;
};

Shown shown(const std::string& op, const std::vector<std::string>& kernels,
            Dim3 grid = {1000, 1, 1}) {
  FakeTrace trace;
  trace.push("layer:L");
  trace.push(op);
  for (const std::string& kernel : kernels) {
    trace.kernel(kernel);
    trace.set_grid(kernel, grid);
  }
  const auto cursor = attribute_work(trace);
  Shown result;
  while (const AttributedRow* item = cursor->next()) {
    if (item->attribution.contradictions.any()) ++result.kernels;
  }
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    const ContradictionCount count = cursor->counts().contradictions[kind];
    if (count.kernels == 0) continue;
    result.words.insert(kContradictionInfos[kind].word);
    if (result.first.empty()) result.first = count.first;
  }
  return result;
}

using Words = std::set<std::string_view>;

TEST(Contradictions, HaveDifferentWords) {
  Words words;
  for (const ContradictionInfo& info : kContradictionInfos) {
    EXPECT_TRUE(words.insert(info.word).second) << info.word;
  }
}

TEST(Contradictions, ElementTypes) {
  const Shown got = shown(product_text("float32"), {kHalfGemm});
  EXPECT_EQ(got.words, Words{"dtype"});
  EXPECT_EQ(got.first, "matmul M=512,N=256,K=64: " + kHalfGemm);
  EXPECT_EQ(shown(product_text("float16"), {kHalfGemm}).words, Words{});
  EXPECT_EQ(shown(product_text("float32"), {kTf32Gemm}).words, Words{});
  EXPECT_EQ(shown(product_text("float16"), {kTf32Gemm}).words, Words{"dtype"});
  EXPECT_EQ(
      shown(product_text("float8_e5m2"), {"nvjet_qqtst_128x256_128x4_2x1_v_bz_coopA_TNT"}).words,
      Words{})
      << "operands of a product in 8 bits may differ";
  EXPECT_EQ(shown("aten::mm, sizes = [[256, 64], [64, 512]]", {kHalfGemm}).words, Words{})
      << "the op states none";
}

TEST(Contradictions, OneProductInTwoTypes) {
  const std::string mm = "aten::mm, sizes = [[256, 64], [64, 512]]";
  const Shown got = shown(mm, {kCopyOfIterator, kHalfGemm, kBf16Gemm});
  EXPECT_EQ(got.words, Words{"operands"});
  EXPECT_EQ(got.kernels, 2U) << "not the copy";
  EXPECT_EQ(shown(mm, {kFloatGemm, kTf32Gemm}).words, Words{});
  EXPECT_EQ(shown(mm, {kHalfGemm, kHalfGemm}).words, Words{});
}

TEST(Contradictions, ProductInAnOpThatHasNone) {
  const std::string softmax = "aten::_softmax, sizes = [[8, 64], [], []]";
  EXPECT_EQ(shown(softmax, {kHalfGemm}).words, Words{"product"});
  EXPECT_EQ(shown(softmax, {"some_kernel"}).words, Words{});
  EXPECT_EQ(shown("aten::layer_norm_of_mine, sizes = [[8, 64]]", {kHalfGemm}).words, Words{})
      << "what no model knows may have one";
  EXPECT_EQ(shown("aten::cudnn_convolution, sizes = [[2, 4, 16], [8, 4, 3]]", {kHalfGemm}).words,
            Words{});
}

TEST(Contradictions, ProductInsideAnOpOfTheProgram) {
  FakeTrace trace;
  trace.push("aten::softmax, sizes = [[8, 64], [], []]");
  trace.push("aten::mm, sizes = [[8, 64], [64, 8]]");
  trace.kernel(kHalfGemm);
  const auto cursor = attribute_work(trace);
  const AttributedRow* item = cursor->next();
  ASSERT_NE(item, nullptr);
  EXPECT_TRUE(item->attribution.contradictions.none());
}

TEST(Contradictions, ProductWithoutAKernelThatMultiplies) {
  const std::string mm = "aten::mm, sizes = [[256, 64], [64, 512]]";
  EXPECT_EQ(shown(mm, {kCopyOfIterator}).words, Words{"no_product"});
  EXPECT_EQ(shown(mm, {kMultiply}).words, Words{"no_product"});
  EXPECT_EQ(shown(mm, {kCopyOfIterator, kFloatSum}).words, Words{"no_product"});
  EXPECT_EQ(shown(mm, {kMultiply, kFloatSum}).words, Words{}) << "multiplies, then adds up";
  EXPECT_EQ(shown(mm, {kCopyOfIterator, kHalfGemm}).words, Words{});
  EXPECT_EQ(shown(mm, {kCopyOfIterator, "my_own_kernel"}).words, Words{});
  EXPECT_EQ(shown("aten::outer, sizes = [[8], [4]]", {kMultiply}).words, Words{});
  EXPECT_EQ(shown("aten::mm, sizes = [[8, 0], [0, 4]]", {kCopyOfIterator}).words, Words{});
}

TEST(Contradictions, InnerSizes) {
  EXPECT_EQ(shown("aten::mm, sizes = [[256, 64], [32, 512]]", {kHalfGemm}).words, Words{"inner"});
  EXPECT_EQ(shown("aten::bmm, sizes = [[2, 8, 64], [3, 64, 8]]", {kHalfGemm}).words, Words{})
      << "batches are not inner sizes";
  EXPECT_EQ(shown("aten::linear, sizes = [[8, 64], [16, 32]]", {kHalfGemm}).words, Words{"inner"});
  const std::string gradient =
      op_text("linear", "bprop", "dy:in:8x16:float16 x:in:9x64:float16", "weight");
  EXPECT_EQ(shown(gradient, {kHalfGemm}).words, Words{"inner"});
  EXPECT_EQ(shown("aten::outer, sizes = [[8], [4]]", {kMultiply}).words, Words{});
}

TEST(Contradictions, HeadSizes) {
  const auto attention = [](const std::string& width) {
    const std::string shape = "[2, 8, 64, " + width + "]";
    return "aten::_scaled_dot_product_flash_attention, sizes = [" + shape + ", " + shape + ", " +
           shape + ", [], [], [], []]";
  };
  EXPECT_EQ(shown(attention("128"), {kFlash64}).words, Words{"head"});
  EXPECT_EQ(shown(attention("64"), {kFlash64}).words, Words{});
  EXPECT_EQ(shown(attention("40"), {kFlash64}).words, Words{}) << "padded";
}

TEST(Contradictions, Transposes) {
  EXPECT_EQ(shown(product_text("float16", R"("trans_a":false)"), {kHalfGemm}).words,
            Words{"layout"});
  EXPECT_EQ(shown(product_text("float16"), {kHalfGemm}).words, Words{}) << "the op states none";
  const std::string transposed =
      op_text("bmm", "fprop", "a:in:4x256x64:float16 b:in:4x512x64:float16", {},
              R"("trans_a":false,"trans_b":true)");
  EXPECT_EQ(shown(transposed, {kHalfGemm}).words, Words{});
  const std::string vector =
      op_text("matmul", "fprop", "a:in:256x64:float16 b:in:64x1:float16", {}, R"("trans_b":false)");
  EXPECT_EQ(shown(vector, {kHalfGemm}).words, Words{}) << "a vector has no order";
}

TEST(Contradictions, Grids) {
  const std::string mm = "aten::mm, sizes = [[256, 64], [64, 512]]";  // 4 x 4 tiles of 128x64
  EXPECT_EQ(shown(mm, {kTf32Gemm}, {16, 1, 1}).words, Words{});
  EXPECT_EQ(shown(mm, {kTf32Gemm}, {15, 1, 1}).words, Words{"grid"});
  EXPECT_EQ(shown(mm, {kTf32Gemm, kFloatGemm}, {1, 1, 1}).words, Words{}) << "parts of one product";
  EXPECT_EQ(shown(mm, {"nvjet_hsh_128x64_64x4_1x1_v_bz_NNT"}, {1, 1, 1}).words, Words{})
      << "may be persistent";
  const std::string stream_k =
      "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4_streamK>(T1)";
  EXPECT_EQ(shown(mm, {stream_k}, {1, 1, 1}).words, Words{});
}

DeviceRow h200() {
  DeviceRow device;
  device.name = "NVIDIA H200";
  device.compute_major = 9;
  device.sm_count = 132;
  device.core_clock_khz = 1'980'000;
  device.l2_bytes = 60U << 20;
  device.memory_bandwidth_bytes_per_s = 4'814'304'000'000;
  return device;
}

/// Words of one kernel of `op` that took so long on an H200.
Words after(const std::string& op, const std::string& kernel, std::int64_t duration_ns) {
  FakeTrace trace;
  trace.devices_ = {h200()};
  trace.push("layer:L");
  trace.push(op);
  trace.kernel(kernel, duration_ns);
  trace.set_grid(kernel, {1'000'000, 1, 1});
  const auto cursor = attribute_work(trace);
  const AttributedRow* item = cursor->next();
  Words words;
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    if (item->attribution.contradictions.test(kind)) words.insert(kContradictionInfos[kind].word);
  }
  return words;
}

// The larger recordings of this repository reach 60 to 80 % of the device's rate.
TEST(Contradictions, OfTimesTooShortForTheArithmetic) {
  // 2 * 8192^3 = 1.1e12 FLOPs: 1,027.07 us at the H200's 4,096 x 132 FLOPs in each of its 1.98e9
  // clocks a second, 16 times that on its CUDA cores.
  const std::string half = op_text(
      "matmul", "fprop", "a:in:8192x8192:float16 b:in:8192x8192:float16 out:out:8192x8192:float16");
  EXPECT_EQ(after(half, kHalfGemm, 1'027'100), Words{});
  EXPECT_EQ(after(half, kHalfGemm, 1'027'050), Words{}) << "a tick of the timer";
  EXPECT_EQ(after(half, kHalfGemm, 1'027'000), Words{"flops"});
  const std::string single = op_text(
      "matmul", "fprop", "a:in:8192x8192:float32 b:in:8192x8192:float32 out:out:8192x8192:float32");
  EXPECT_EQ(after(single, kFloatGemm, 16'500'000), Words{});
  EXPECT_EQ(after(single, kFloatGemm, 16'400'000), Words{"flops"});
  EXPECT_EQ(after(single, kTf32Gemm, 2'100'000), Words{});
  EXPECT_EQ(after(single, kTf32Gemm, 2'000'000), Words{"flops"});
}

TEST(Contradictions, ExplainKernelsThatComputeLess) {
  // 2.2e11 FLOPs: 103 us at the highest rate of all, and 57 us for the bytes.
  const std::string conv = op_text("conv2d", "fprop",
                                   "x:in:64x256x56x56:float32 weight:in:256x256x3x3:float32 "
                                   "out:out:64x256x54x54:float32");
  EXPECT_EQ(after(conv, "my_kernel", 100'000), Words{"flops"});
  EXPECT_EQ(after(conv, "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", 100'000),
            Words{"algorithm"});
  EXPECT_EQ(after(conv, "gcgemm_64x32_nt", 100'000), Words{"algorithm"});
  EXPECT_EQ(after(conv, kFloatGemm, 100'000), Words{"flops"}) << "no kernel of it transforms";
  const std::string half = op_text(
      "matmul", "fprop", "a:in:8192x8192:float16 b:in:8192x8192:float16 out:out:8192x8192:float16");
  EXPECT_EQ(after(half, kHalfGemm, 100'000), Words{"flops"});
  EXPECT_EQ(after(half,
                  "sm80_xmma_sparse_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_stage3_"
                  "warpsize2x2x1_sptensor16x8x32_execute_kernel_cusparse",
                  100'000),
            Words{"algorithm"});
}

// A weight's gradient by Winograd's algorithm: the data and the gradient are transformed, a batch
// of products follows, then their results are transformed. Its 1.475 GFLOP would take 22.1 us at
// the H200's 66.9 TFLOP/s; the products are 0.46 GFLOP.
TEST(Contradictions, ExplainProductsBetweenTransforms) {
  const std::string product =
      "sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_"
      "alignc4_execute_kernel__5x_cudnn";
  const std::string before =
      "void cudnn::winograd_nonfused::winogradWgradData4x4<float, float>(T1)";
  const std::string op = op_text("conv2d", "bprop",
                                 "dy:in:2x256x25x25:float32 x:in:2x256x25x25:float32 "
                                 "weight:in:256x256x3x3:float32 dweight:out:256x256x3x3:float32",
                                 "weight", R"("padding":1)");
  const auto words_of = [&](const std::vector<std::string>& kernels) {
    FakeTrace trace;
    trace.devices_ = {h200()};
    trace.push("layer:L");
    trace.push(op);
    for (const std::string& kernel : kernels) trace.kernel(kernel, 18'080);
    const auto cursor = attribute_work(trace);
    Words words;
    while (const AttributedRow* item = cursor->next()) {
      for (std::size_t kind = 0; kind < kContradictions; ++kind) {
        if (!item->attribution.contradictions.test(kind)) continue;
        EXPECT_TRUE(item->attribution.kernel->is_product);
        words.insert(kContradictionInfos[kind].word);
      }
    }
    return words;
  };
  EXPECT_EQ(words_of({before, product}), Words{"algorithm"});
  EXPECT_EQ(words_of({product, before}), Words{"algorithm"}) << "in any order";
  EXPECT_EQ(words_of({product}), Words{"flops"});
}

TEST(Contradictions, OfTimesTooShortForTheBytes) {
  // 2 x 256 MiB, of which twice 60 MiB may be in the cache: 85.4 us at 4.814 TB/s.
  const std::string relu =
      op_text("relu", "fprop", "x:in:134217728:float16 out:out:134217728:float16");
  EXPECT_EQ(after(relu, kMultiply, 85'500), Words{});
  EXPECT_EQ(after(relu, kMultiply, 85'300), Words{"bytes"});
  const std::string small =
      op_text("relu", "fprop", "x:in:4194304:float16 out:out:4194304:float16");
  // 16 MiB in the cache: 1,751 ns at 9,582 GB/s, less a tick of 32 ns.
  EXPECT_EQ(after(small, kMultiply, 1'730), Words{});
  EXPECT_EQ(after(small, kMultiply, 1'700), Words{"bytes"});
}

TEST(Contradictions, OfACacheWhoseBandwidthIsEstimated) {
  const auto words_of = [](const std::string& shape, std::int64_t duration_ns) {
    FakeTrace trace;
    trace.devices_ = {h200()};
    trace.devices_[0].name =
        "NVIDIA H100 PCIe";  // 64 x 132 x 1.98e9 bytes/s, by its multiprocessors
    trace.push(
        op_text("relu", "fprop", "x:in:" + shape + ":float16 out:out:" + shape + ":float16"));
    trace.kernel(kMultiply, duration_ns);
    const auto cursor = attribute_work(trace);
    return cursor->next()->attribution.contradictions;
  };
  const auto word = [](Contradiction kind) { return 1ULL << static_cast<unsigned>(kind); };
  EXPECT_EQ(words_of("4194304", 1'000).to_ullong(), 0U) << "1,003 ns and a tick";
  EXPECT_EQ(words_of("4194304", 900).to_ullong(), word(Contradiction::kEstimate));
  // 512 MiB, of which 120 need not pass through the memory: 85.4 us at 4.814 TB/s.
  EXPECT_EQ(words_of("134217728", 85'000).to_ullong(), word(Contradiction::kBytes));
}

TEST(Contradictions, ExplainEstimatesAndRepeatedRows) {
  const std::string rows = op_text("embedding", "fprop",
                                   "weight:in:100000x4096:float32 index:in:32768:int64 "
                                   "out:out:32768x4096:float32");
  EXPECT_EQ(after(rows, kMultiply, 1'000), Words{"repeats"});
  const std::string dropped =
      op_text("unique", "fprop", "x:in:134217728:float32 out:out:134217728:float32");
  EXPECT_EQ(after(dropped, kMultiply, 1'000), Words{"estimate"});
  const std::string relu =
      op_text("relu", "fprop", "x:in:134217728:float16 out:out:134217728:float16");
  EXPECT_EQ(after(relu, kMultiply, 0), Words{}) << "no time";
}

}  // namespace
}  // namespace prof
