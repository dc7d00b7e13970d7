// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See rows.hpp. A new kernel is a line in make_rows().
#include "rows.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "common/device_buffer.hpp"
#include "common/kernels/adamw.hpp"
#include "common/kernels/attention_heads.hpp"
#include "common/kernels/bce.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/cast.hpp"
#include "common/kernels/concat.hpp"
#include "common/kernels/cross_entropy.hpp"
#include "common/kernels/dropout.hpp"
#include "common/kernels/elementwise.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/fill.hpp"
#include "common/kernels/fused_cross_entropy.hpp"
#include "common/kernels/gather.hpp"
#include "common/kernels/gelu.hpp"
#include "common/kernels/lamb.hpp"
#include "common/kernels/layer_norm.hpp"
#include "common/kernels/pointwise.hpp"
#include "common/kernels/position_sum.hpp"
#include "common/kernels/relu.hpp"
#include "common/kernels/softmax.hpp"
#include "common/kernels/transpose.hpp"
#include "common/kernels/update.hpp"
#include "common/random.hpp"

namespace ref::bench {
namespace {

using bf16 = __nv_bfloat16;

constexpr std::size_t kElements = std::size_t{1} << 27;  // of a tensor: 256 MiB in fp16
constexpr int kLookups = 1 << 19;
constexpr int kTableRows = 1 << 20;
constexpr int kTableDim = 128;  // kTableRows * kTableDim == kElements

// A DLRM's interaction: 27 vectors, the lower triangle of their products.
constexpr int kVectors = 27;
constexpr int kProducts = kVectors * kVectors;
constexpr int kPairs = kVectors * (kVectors - 1) / 2;

std::vector<std::int32_t> random_indices(int count, int limit) {
  std::vector<std::int32_t> indices;
  for (int i = 0; i < count; ++i) {
    indices.push_back(static_cast<std::int32_t>(
        random_index(1, 2, static_cast<std::uint64_t>(i), std::int64_t{limit})));
  }
  return indices;
}

std::vector<std::int32_t> lower_triangle() {
  std::vector<std::int32_t> positions;
  for (int row = 1; row < kVectors; ++row) {
    for (int col = 0; col < row; ++col) positions.push_back(row * kVectors + col);
  }
  return positions;
}

std::vector<std::int32_t> inverse_of_lower_triangle() {
  std::vector<std::int32_t> inverse(kProducts, -1);
  std::int32_t pair = 0;
  for (const std::int32_t position : lower_triangle()) {
    inverse[static_cast<std::size_t>(position)] = pair++;
  }
  return inverse;
}

std::vector<LambChunk> lamb_chunks() {
  std::vector<LambChunk> chunks;
  for (std::int64_t begin = 0; begin < std::int64_t{kElements}; begin += kLambChunk) {
    chunks.push_back({0, begin});
  }
  return chunks;
}

template <typename T>
DeviceBuffer<T> zeros(std::size_t size) {
  return DeviceBuffer<T>(std::vector<T>(size));
}

}  // namespace

struct Tensors {
  // Uniform in [-1, 1). Read as bf16, the bits of such halves are numbers near 0: finite too.
  DeviceBuffer<__half> h[3] = {DeviceBuffer<__half>(kElements), DeviceBuffer<__half>(kElements),
                               DeviceBuffer<__half>(kElements)};
  DeviceBuffer<float> f[4] = {DeviceBuffer<float>(kElements), DeviceBuffer<float>(kElements),
                              DeviceBuffer<float>(kElements), DeviceBuffer<float>(kElements)};
  DeviceBuffer<std::uint8_t> mask{kElements};
  DeviceBuffer<std::int32_t> lookups{random_indices(kLookups, kTableRows)};
  DeviceBuffer<std::int32_t> classes{random_indices(kLookups, 30000)};
  DeviceBuffer<std::int32_t> lower{lower_triangle()};
  DeviceBuffer<std::int32_t> positions{inverse_of_lower_triangle()};
  DeviceBuffer<float> scratch = zeros<float>(1 << 20);
  DeviceBuffer<float> row_a = zeros<float>(1 << 20);  // statistics and losses, one a row
  DeviceBuffer<float> row_b = zeros<float>(1 << 20);
  DeviceBuffer<__half> column_a = zeros<__half>(1 << 16);  // parameters of a layer
  DeviceBuffer<__half> column_b = zeros<__half>(1 << 16);
  DeviceBuffer<ScalerState> scaler{std::vector<ScalerState>{{1, 0, 0}}};
  DeviceBuffer<AdamwState> adamw{std::vector<AdamwState>{{1, 1, 1, 10, 1000}}};
  // One tensor: param, grad, m, v are f[0..3], the half gradient and the half copy h[0] and h[1].
  DeviceBuffer<LambTensor> lamb_tensor{
      std::vector<LambTensor>{{h[0].data(), f[1].data(), f[0].data(), h[1].data(), f[2].data(),
                               f[3].data(), std::int64_t{kElements}, 0, 1}}};
  DeviceBuffer<LambChunk> lamb_chunk{lamb_chunks()};
  DeviceBuffer<LambState> lamb_state{std::vector<LambState>{{1, 1, 10, 1000, 1}}};
  EmbeddingGradientScratch embedding_scratch{kLookups, kTableRows};

  Tensors() {
    cudaStream_t stream = nullptr;
    for (std::uint64_t i = 0; i < 4; ++i) {
      fill_random(stream, f[i].data(), kElements, 1.0f, 1, i);
      if (i < 3) cast(stream, f[i].data(), h[i].data(), kElements);
    }
    check(cudaMemsetAsync(mask.data(), 1, kElements, stream));
    check(cudaStreamSynchronize(stream));
  }
  [[nodiscard]] bf16* b(int i) { return reinterpret_cast<bf16*>(h[i].data()); }
};

std::shared_ptr<Tensors> make_tensors() { return std::make_shared<Tensors>(); }

Row copy_row(const std::shared_ptr<Tensors>& tensors) {
  constexpr std::size_t kBytes = kElements * sizeof(float);
  return {"cudaMemcpyAsync, device to device", "512 MiB", 2.0 * static_cast<double>(kBytes),
          [tensors](cudaStream_t s) {
            check(cudaMemcpyAsync(tensors->f[1].data(), tensors->f[0].data(), kBytes,
                                  cudaMemcpyDeviceToDevice, s));
          }};
}

// clang-format off
std::vector<Row> make_rows(const std::shared_ptr<Tensors>& tensors) {
  Tensors* const t = tensors.get();
  const auto h = [t](int i) { return t->h[i].data(); };
  const auto b = [t](int i) { return t->b(i); };
  const auto f = [t](int i) { return t->f[i].data(); };
  const auto keep = [tensors](auto body) { return [tensors, body](cudaStream_t s) { body(s); }; };
  constexpr std::size_t n = kElements;
  constexpr double e = static_cast<double>(n);
  const std::string flat = "134217728";
  const int classes = 30528;  // of BERT's vocabulary
  const int class_rows = 4096;
  const double class_e = static_cast<double>(class_rows) * classes;
  const ClassifierSizes padded{2048, 50257, 50304};
  const double padded_e = static_cast<double>(padded.rows) * padded.pitch;
  const CrossEntropyState loss{t->row_a.data(), t->row_b.data(), t->scratch.data()};
  const DropoutMask dropout_mask(0.1f, 1, 2);
  const HeadSizes heads{128, 1024, 12, 64};
  const double head_e = 128.0 * 1024 * 12 * 64;
  const SequenceSizes sequence{128, 1024, 768};
  const double sequence_e = 128.0 * 1024 * 768;
  const LambTable lamb_table{t->lamb_tensor.data(), t->lamb_chunk.data(), t->scratch.data(), t->row_a.data(), 1, static_cast<std::int32_t>(t->lamb_chunk.size())};
  const auto integers = [t](int i) { return reinterpret_cast<std::int32_t*>(t->f[i].data()); };
  const AdamwOptions adam{1e-4f, 0.9f, 0.95f, 1e-8f};
  ConcatSources stack{};
  for (int i = 0; i < kVectors; ++i) stack.data[i] = f(0) + std::size_t{32768} * kTableDim * static_cast<std::size_t>(i);
  const __half* weight = t->column_a.data();
  const bf16* bweight = reinterpret_cast<const bf16*>(t->column_a.data());
  __half* dcolumn = t->column_b.data();
  bf16* bdcolumn = reinterpret_cast<bf16*>(t->column_b.data());
  float* mean_of = t->row_a.data();
  float* rstd_of = t->row_b.data();
  float* scratch = t->scratch.data();
  return {
      // DLRM's.
      {"cast float to half", flat, 6 * e, keep([=](auto s) { cast(s, f(0), h(0), n); })},
      {"cast half to float", flat, 6 * e, keep([=](auto s) { cast(s, h(0), f(0), n); })},
      {"bias_add", "(32768,4096)", 4 * e, keep([=](auto s) { bias_add(s, h(0), weight, 32768, 4096); })},
      {"bias_add", "(131072,1024)", 4 * e, keep([=](auto s) { bias_add(s, h(0), weight, 131072, 1024); })},
      {"bias_gradient", "(32768,4096)", 2 * e, keep([=](auto s) { bias_gradient(s, h(0), dcolumn, scratch, 32768, 4096); })},
      {"bias_gradient", "(131072,1024)", 2 * e, keep([=](auto s) { bias_gradient(s, h(0), dcolumn, scratch, 131072, 1024); })},
      {"relu", flat, 4 * e, keep([=](auto s) { relu(s, h(1), n); })},
      {"relu_backward", flat, 6 * e, keep([=](auto s) { relu_backward(s, h(1), h(0), n); })},
      {"concat_equal", "27 x (32768,128)", 8.0 * 32768 * kVectors * kTableDim, keep([=](auto s) { concat_equal(s, stack, kVectors, f(1), 32768, kTableDim); })},
      {"concat_three", "(262144;128,351,1)", 8.0 * 262144 * 480, keep([=](auto s) { concat_three(s, {f(0), 128}, {f(2), 351}, {f(3), 1}, f(1), 262144); })},
      {"add", flat, 12 * e, keep([=](auto s) { add(s, f(0), f(2), f(1), n); })},
      {"add_slices", "(262144,128)", 12.0 * 262144 * 128, keep([=](auto s) { add_slices(s, f(0), 480, f(2), 512, f(1), 262144, 128); })},
      {"embedding", "524288 of (1048576,128)", 4.0 * kLookups + 8.0 * kLookups * kTableDim, keep([=](auto s) { embedding(s, t->lookups.data(), f(0), f(1), kLookups, kTableDim); })},
      {"embedding_gradient (sorts)", "524288 of (1048576,128)", 4.0 * kLookups + 8.0 * kLookups * kTableDim, keep([=](auto s) { embedding_gradient(s, t->lookups.data(), f(0), kTableDim, f(1), kTableRows, kLookups, kTableDim, t->embedding_scratch); })},
      {"zero", flat, 4 * e, keep([=](auto s) { zero(s, f(1), n); })},
      {"gather_columns", "(131072,729) to 351", 8.0 * 131072 * kPairs, keep([=](auto s) { gather_columns(s, f(0), t->lower.data(), f(1), 131072, kProducts, kPairs); })},
      {"gather_columns_backward", "(131072,351) to 729", 4.0 * 131072 * (kPairs + kProducts), keep([=](auto s) { gather_columns_backward(s, f(0), kPairs, t->positions.data(), f(1), 131072, kProducts); })},
      {"bce_with_logits", flat, 8 * e, keep([=](auto s) { bce_with_logits(s, f(0), f(2), mean_of, scratch, static_cast<int>(n)); })},
      {"bce_with_logits_backward", flat, 12 * e, keep([=](auto s) { bce_with_logits_backward(s, f(0), f(2), mean_of, f(1), static_cast<int>(n)); })},
      {"unscale", flat, 6 * e, keep([=](auto s) { unscale(s, h(0), f(1), n, t->scaler.data(), true); })},
      {"sgd", flat, 14 * e, keep([=](auto s) { sgd(s, f(1), f(0), h(1), n, 1e-6f, t->scaler.data()); })},
      // Transformers'.
      {"layer_norm", "(131072,1024)", 4 * e, keep([=](auto s) { layer_norm<__half>(s, h(0), weight, weight, h(1), mean_of, rstd_of, 131072, 1024, 1e-5f); })},
      {"layer_norm bf16", "(131072,768)", 4 * 131072.0 * 768, keep([=](auto s) { layer_norm<bf16>(s, b(0), bweight, bweight, b(1), mean_of, rstd_of, 131072, 768, 1e-5f); })},
      {"add_layer_norm bf16", "(131072,768)", 8 * 131072.0 * 768, keep([=](auto s) { add_layer_norm<bf16>(s, b(0), b(2), bweight, bweight, b(1), b(2), mean_of, rstd_of, 131072, 768, 1e-5f); })},
      {"layer_norm_backward", "(131072,1024)", 6 * e, keep([=](auto s) { layer_norm_backward<__half>(s, h(0), h(2), mean_of, rstd_of, weight, h(1), dcolumn, dcolumn + 1024, scratch, 131072, 1024); })},
      {"layer_norm_backward bf16, adds", "(131072,768)", 8 * 131072.0 * 768, keep([=](auto s) { layer_norm_backward<bf16>(s, b(0), b(2), mean_of, rstd_of, bweight, b(1), bdcolumn, bdcolumn + 1024, scratch, 131072, 768, {true, true}); })},
      {"dropout", flat, 5 * e, keep([=](auto s) { dropout(s, h(0), h(1), t->mask.data(), n, dropout_mask); })},
      {"dropout_backward", flat, 5 * e, keep([=](auto s) { dropout_backward(s, h(0), t->mask.data(), h(1), n, 1.25f); })},
      {"softmax", "(1048576,128)", 4 * e, keep([=](auto s) { softmax<__half>(s, h(0), h(1), n / 128, 128); })},
      {"softmax", "(262144,512)", 4 * e, keep([=](auto s) { softmax<__half>(s, h(0), h(1), n / 512, 512); })},
      {"softmax bf16, scaled, causal", "(128,1024,1024)", 3 * e, keep([=](auto s) { softmax<bf16>(s, b(0), b(1), n / 1024, 1024, {0.125f, true}); })},
      {"softmax_backward", "(1048576,128)", 6 * e, keep([=](auto s) { softmax_backward<__half>(s, h(0), h(2), h(1), n / 128, 128); })},
      {"softmax_backward bf16, scaled, causal", "(128,1024,1024)", 4 * e, keep([=](auto s) { softmax_backward<bf16>(s, b(0), b(2), b(1), n / 1024, 1024, {0.125f, true}); })},
      {"bias_gelu", "(32768,4096)", 4 * e, keep([=](auto s) { bias_gelu(s, h(0), weight, h(1), 32768, 4096); })},
      {"bias_gelu_backward", "(32768,4096)", 6 * e, keep([=](auto s) { bias_gelu_backward(s, h(0), h(2), weight, h(1), dcolumn, scratch, 32768, 4096); })},
      {"gelu_tanh", flat, 4 * e, keep([=](auto s) { gelu_tanh<__half>(s, h(0), h(1), n); })},
      {"gelu_tanh_backward bf16", flat, 6 * e, keep([=](auto s) { gelu_tanh_backward<bf16>(s, b(0), b(2), b(1), n); })},
      {"swap_middle", "(256,512,16,64)", 4 * e, keep([=](auto s) { swap_middle<__half>(s, h(0), h(1), 256, 512, 16, 64); })},
      {"split_heads", "(128,1024,1,12,64)", 4 * head_e, keep([=](auto s) { split_heads(s, b(0), b(1), 1, heads); })},
      {"merge_heads", "(128,1024,1,12,64)", 4 * head_e, keep([=](auto s) { merge_heads(s, b(0), b(1), 1, heads); })},
      {"embedding_with_positions", "(128,1024) of (131072,768)", 4 * sequence_e, keep([=](auto s) { embedding_with_positions(s, t->classes.data(), b(0), b(2), b(1), sequence); })},
      {"sum_over_batch", "(128,1024,768)", 2 * sequence_e, keep([=](auto s) { sum_over_batch(s, b(0), b(1), sequence); })},
      {"cross_entropy", "(4096,30528)", 2 * class_e, keep([=](auto s) { cross_entropy(s, h(0), t->classes.data(), dcolumn, loss, class_rows, classes); })},
      {"cross_entropy_backward", "(4096,30528)", 4 * class_e, keep([=](auto s) { cross_entropy_backward(s, h(0), t->classes.data(), weight, loss, h(1), class_rows, classes); })},
      {"padded_cross_entropy", "(2048,50304)", 2 * padded_e, keep([=](auto s) { padded_cross_entropy(s, b(0), t->classes.data(), mean_of, padded); })},
      {"padded_cross_entropy_with_gradient", "(2048,50304)", 4 * padded_e, keep([=](auto s) { padded_cross_entropy_with_gradient(s, b(1), t->classes.data(), mean_of, 1.0f, padded); })},
      {"affine", flat, 4 * e, keep([=](auto s) { affine(s, h(0), h(1), n, 2.0f, 1.0f); })},
      {"add, half", flat, 6 * e, keep([=](auto s) { add(s, h(0), h(2), h(1), n); })},
      {"add_mask", "(64,8192,256)", 4 * e, keep([=](auto s) { add_mask(s, h(1), weight, 64, 8192, 256); })},
      {"tanh", flat, 4 * e, keep([=](auto s) { tanh(s, h(0), h(1), n); })},
      {"tanh_backward", flat, 6 * e, keep([=](auto s) { tanh_backward(s, h(0), h(2), h(1), n); })},
      {"arange", flat, 4 * e, keep([=](auto s) { arange(s, integers(1), static_cast<int>(n)); })},
      {"multi_tensor_scale", flat, 6 * e, keep([=](auto s) { multi_tensor_scale(s, lamb_table, t->scaler.data(), true); })},
      {"multi_tensor_l2norm", flat, 4 * e, keep([=](auto s) { multi_tensor_l2norm(s, lamb_table, t->lamb_state.data()); })},
      {"lamb", flat, 34 * e, keep([=](auto s) { lamb(s, lamb_table, t->lamb_state.data(), t->scaler.data(), {}); })},
      {"grad_norm", flat, 2 * e, keep([=](auto s) { grad_norm(s, b(0), n, scratch, t->adamw.data()); })},
      {"adamw", flat, 28 * e, keep([=](auto s) { adamw(s, f(1), b(0), f(2), f(3), b(1), n, adam, 0.1f, t->adamw.data()); })},
  };
}
// clang-format on

}  // namespace ref::bench
