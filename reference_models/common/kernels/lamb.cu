// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
// See lamb.hpp. A block works on a chunk.
#include "common/kernels/lamb.hpp"
#include "common/kernels/launch.cuh"
#include "common/kernels/warp.cuh"

namespace ref {
namespace {

constexpr unsigned kChunkThreads = 512;

// Calls body(std::integral_constant<int, N>, i) for the elements of this block's chunk.
template <typename Body>
__device__ void for_chunk(const LambTensor& tensor, const LambChunk& chunk, Body body) {
  const std::int64_t left = tensor.size - chunk.begin;
  const int count = static_cast<int>(left < kLambChunk ? left : kLambChunk);
  const int packs = count / 4;
  for (int p = static_cast<int>(threadIdx.x); p < packs; p += static_cast<int>(kChunkThreads)) {
    body(std::integral_constant<int, 4>{}, static_cast<std::size_t>(chunk.begin + p * 4));
  }
  const int rest = packs * 4 + static_cast<int>(threadIdx.x);
  if (rest < count) {
    body(std::integral_constant<int, 1>{}, static_cast<std::size_t>(chunk.begin + rest));
  }
}

__global__ void scale_kernel(LambTable table, ScalerState* scaler, bool divide) {
  const LambChunk chunk = table.chunks[blockIdx.x];
  const LambTensor tensor = table.tensors[chunk.tensor];
  const float factor = divide ? 1.0f / scaler->scale : 1.0f;
  bool finite = true;
  for_chunk(tensor, chunk, [&](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    const auto from = load<kWidth>(tensor.half_grad, i);
    Pack<float, kWidth> to;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      to.v[j] = __half2float(from.v[j]) * factor;
      finite = finite && isfinite(to.v[j]);
    }
    store<kWidth>(tensor.grad, i, to);
  });
  if (!finite) scaler->found_infinite = 1;  // all who write, write the same
}

__global__ void square_kernel(LambTable table) {
  const LambChunk chunk = table.chunks[blockIdx.x];
  const LambTensor tensor = table.tensors[chunk.tensor];
  float sum = 0;
  for_chunk(tensor, chunk, [&](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    const auto value = load<kWidth>(tensor.grad, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) sum += value.v[j] * value.v[j];
  });
  sum = block_sum(sum);
  if (threadIdx.x == 0) table.partial[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* __restrict__ partial, int count, LambState* state) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(kChunkThreads)) {
    sum += partial[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) state->norm = sqrtf(sum);
}

__global__ void clip_kernel(LambState* state, float max_norm) {
  state->coefficient = fminf(1.0f, max_norm / (state->norm + 1e-6f));
}

__global__ void begin_kernel(LambState* state, const ScalerState* scaler, float beta1,
                             float beta2) {
  if (scaler->found_infinite != 0) return;
  const int step = ++state->step;
  state->correction1 = 1.0f / (1.0f - powf(beta1, static_cast<float>(step)));
  state->correction2 = 1.0f / (1.0f - powf(beta2, static_cast<float>(step)));
}

// Moments and update, with the chunk's sums of squares of parameter and update.
__global__ void moments_kernel(LambTable table, const LambState* __restrict__ state,
                               const ScalerState* __restrict__ scaler, LambOptions options) {
  if (scaler->found_infinite != 0) return;
  const LambChunk chunk = table.chunks[blockIdx.x];
  const LambTensor tensor = table.tensors[chunk.tensor];
  const LambState now = *state;
  const float decay = tensor.decays != 0 ? options.weight_decay : 0.0f;
  float param_sum = 0;
  float update_sum = 0;
  for_chunk(tensor, chunk, [&](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto grad = load<kWidth>(tensor.grad, i);
    auto m = load<kWidth>(tensor.m, i);
    auto v = load<kWidth>(tensor.v, i);
    const auto param = load<kWidth>(tensor.param, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      const float g = grad.v[j] * now.coefficient;
      m.v[j] = options.beta1 * m.v[j] + (1.0f - options.beta1) * g;
      v.v[j] = options.beta2 * v.v[j] + (1.0f - options.beta2) * g * g;
      const float root = sqrtf(v.v[j] * now.correction2) + options.epsilon;
      grad.v[j] = m.v[j] * now.correction1 / root + decay * param.v[j];
      param_sum += param.v[j] * param.v[j];
      update_sum += grad.v[j] * grad.v[j];
    }
    store<kWidth>(tensor.m, i, m);
    store<kWidth>(tensor.v, i, v);
    store<kWidth>(tensor.grad, i, grad);
  });
  param_sum = block_sum(param_sum);
  update_sum = block_sum(update_sum);
  if (threadIdx.x != 0) return;
  table.partial[blockIdx.x] = param_sum;
  table.partial[table.chunk_count + blockIdx.x] = update_sum;
}

// One block per tensor.
__global__ void ratio_kernel(LambTable table, const ScalerState* __restrict__ scaler) {
  if (scaler->found_infinite != 0) return;
  const LambTensor tensor = table.tensors[blockIdx.x];
  const auto count = static_cast<int>((tensor.size + kLambChunk - 1) / kLambChunk);
  float param_sum = 0;
  float update_sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(kChunkThreads)) {
    param_sum += table.partial[tensor.first_chunk + i];
    update_sum += table.partial[table.chunk_count + tensor.first_chunk + i];
  }
  param_sum = block_sum(param_sum);
  update_sum = block_sum(update_sum);
  if (threadIdx.x != 0) return;
  const bool adapts = tensor.decays != 0 && param_sum > 0 && update_sum > 0;
  table.ratios[blockIdx.x] = adapts ? sqrtf(param_sum) / sqrtf(update_sum) : 1.0f;
}

__global__ void move_kernel(LambTable table, const ScalerState* __restrict__ scaler,
                            float learning_rate) {
  if (scaler->found_infinite != 0) return;
  const LambChunk chunk = table.chunks[blockIdx.x];
  const LambTensor tensor = table.tensors[chunk.tensor];
  const float rate = learning_rate * table.ratios[chunk.tensor];
  for_chunk(tensor, chunk, [&](auto width, std::size_t i) {
    constexpr int kWidth = decltype(width)::value;
    auto param = load<kWidth>(tensor.param, i);
    const auto update = load<kWidth>(tensor.grad, i);
    Pack<__half, kWidth> rounded;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      param.v[j] -= rate * update.v[j];
      rounded.v[j] = __float2half_rn(param.v[j]);
    }
    store<kWidth>(tensor.param, i, param);
    store<kWidth>(tensor.half, i, rounded);
  });
}

unsigned chunk_blocks(const LambTable& table) { return static_cast<unsigned>(table.chunk_count); }

}  // namespace

void multi_tensor_scale(cudaStream_t stream, const LambTable& table, ScalerState* scaler,
                        bool divide) {
  scale_kernel<<<chunk_blocks(table), kChunkThreads, 0, stream>>>(table, scaler, divide);
  check_launch();
}

void multi_tensor_l2norm(cudaStream_t stream, const LambTable& table, LambState* state) {
  square_kernel<<<chunk_blocks(table), kChunkThreads, 0, stream>>>(table);
  check_launch();
  norm_kernel<<<1, kChunkThreads, 0, stream>>>(table.partial, table.chunk_count, state);
  check_launch();
}

void clip_grad_norm(cudaStream_t stream, LambState* state, float max_norm) {
  clip_kernel<<<1, 1, 0, stream>>>(state, max_norm);
  check_launch();
}

void lamb(cudaStream_t stream, const LambTable& table, LambState* state, const ScalerState* scaler,
          const LambOptions& options) {
  begin_kernel<<<1, 1, 0, stream>>>(state, scaler, options.beta1, options.beta2);
  check_launch();
  moments_kernel<<<chunk_blocks(table), kChunkThreads, 0, stream>>>(table, state, scaler, options);
  check_launch();
  ratio_kernel<<<static_cast<unsigned>(table.tensor_count), kChunkThreads, 0, stream>>>(table,
                                                                                        scaler);
  check_launch();
  move_kernel<<<chunk_blocks(table), kChunkThreads, 0, stream>>>(table, scaler,
                                                                 options.learning_rate);
  check_launch();
}

}  // namespace ref
