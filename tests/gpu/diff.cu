// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of twelve layers, each with three ops that move memory; in one layer they move 5 % more, if
// asked: diff [LAYER]. Nothing that a capture records says so but the time.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "prof/annotate.hpp"

namespace {

constexpr int kLayers = 12;
constexpr int kSteps = 40;
/// Beyond the L2 cache, so that 5 % more takes 5 % longer.
constexpr std::size_t kElements = std::size_t{64} << 20;

__global__ void scale(float* data, std::size_t count, float factor) {
  const std::size_t stride = std::size_t{blockDim.x} * gridDim.x;
  for (std::size_t i = std::size_t{blockDim.x} * blockIdx.x + threadIdx.x; i < count; i += stride) {
    data[i] *= factor;
  }
}

bool is_done(cudaError_t error) {
  if (error == cudaSuccess) return true;
  std::fprintf(stderr, "diff: %s\n", cudaGetErrorString(error));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const int slow = argc > 1 ? std::atoi(argv[1]) : -1;
  float* data = nullptr;
  if (!is_done(cudaMalloc(&data, 4 * kElements * sizeof(float)))) return 1;
  if (!is_done(cudaMemset(data, 0, 4 * kElements * sizeof(float)))) return 1;
  for (int number = 0; number < kSteps; ++number) {
    const prof::Step step(number);
    for (int layer = 0; layer < kLayers; ++layer) {
      const prof::Layer in_layer("block." + std::to_string(layer));
      for (std::size_t size = 1; size <= 3; ++size) {
        const prof::OpText text = prof::op("scale" + std::to_string(size)).fprop();
        const prof::Op op(text);
        const std::size_t count = size * kElements;
        scale<<<1056, 256>>>(data, layer == slow ? count + count / 20 : count, 0.5F);
      }
    }
  }
  if (!is_done(cudaDeviceSynchronize())) return 1;
  return is_done(cudaFree(data)) ? 0 : 1;
}
