// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints how fast a device reads, writes and copies data of several sizes around that of its L2
// cache. The largest number of the sizes below the cache's is the device's entry in
// analyzers/devices/limits.inc.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "common/gpu.hpp"

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kBlocksPerMultiprocessor = 4;
constexpr int kUnrolled = 8;
constexpr int kLaunches = 7;
/// So many bytes a launch that its beginning and end do not show.
constexpr double kBytesPerLaunch = 32e9;

/// Which block reads which part changes from pass to pass, as between kernels.
__device__ std::size_t first_of(unsigned pass) {
  const std::size_t block = (blockIdx.x + std::size_t{pass} * 37) % gridDim.x;
  return block * blockDim.x + threadIdx.x;
}

// Loads and stores bypass the L1 cache (.cg). `count` is a multiple of the grid's threads times
// kUnrolled.
__global__ void read_all(const uint4* from, std::size_t count, unsigned passes, uint4* never) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  uint4 sum = {};
  for (unsigned pass = 0; pass < passes; ++pass) {
    for (std::size_t i = first_of(pass); i < count; i += stride * kUnrolled) {
      uint4 values[kUnrolled];
#pragma unroll
      for (int k = 0; k < kUnrolled; ++k) values[k] = __ldcg(from + i + k * stride);
#pragma unroll
      for (int k = 0; k < kUnrolled; ++k) {
        sum.x ^= values[k].x;
        sum.y ^= values[k].y;
        sum.z ^= values[k].z;
        sum.w ^= values[k].w;
      }
    }
  }
  // The compiler cannot know that this does not happen.
  if (sum.x == 1 && sum.y == 2 && sum.z == 3 && sum.w == 4) *never = sum;
}

__global__ void write_all(uint4* to, std::size_t count, unsigned passes) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const uint4 value = {pass, pass, pass, pass};
    for (std::size_t i = first_of(pass); i < count; i += stride * kUnrolled) {
#pragma unroll
      for (int k = 0; k < kUnrolled; ++k) __stcg(to + i + k * stride, value);
    }
  }
}

__global__ void copy_all(const uint4* from, uint4* to, std::size_t count, unsigned passes) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (unsigned pass = 0; pass < passes; ++pass) {
    for (std::size_t i = first_of(pass); i < count; i += stride * kUnrolled) {
      uint4 values[kUnrolled];
#pragma unroll
      for (int k = 0; k < kUnrolled; ++k) values[k] = __ldcg(from + i + k * stride);
#pragma unroll
      for (int k = 0; k < kUnrolled; ++k) __stcg(to + i + k * stride, values[k]);
    }
  }
}

class Event {
 public:
  Event() { ref::check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { ref::check(cudaEventRecord(event_)); }
  [[nodiscard]] double seconds_since(const Event& start) const {
    ref::check(cudaEventSynchronize(event_));
    float ms = 0;
    ref::check(cudaEventElapsedTime(&ms, start.event_, event_));
    return 1e-3 * static_cast<double>(ms);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The best of several launches, in GB/s: a limit is looked for.
template <typename Launch>
double best_gb_per_s(double bytes, Launch launch) {
  Event start, end;
  double best = 0;
  for (int i = 0; i < kLaunches; ++i) {
    start.record();
    launch();
    ref::check(cudaGetLastError());
    end.record();
    best = std::max(best, bytes / end.seconds_since(start) / 1e9);
  }
  return best;
}

void measure() {
  cudaDeviceProp device{};
  ref::check(cudaGetDeviceProperties(&device, 0));
  const auto l2_bytes = static_cast<std::size_t>(device.l2CacheSize);
  const unsigned blocks =
      static_cast<unsigned>(device.multiProcessorCount) * kBlocksPerMultiprocessor;
  const std::size_t chunk = std::size_t{blocks} * kThreads * kUnrolled;
  std::printf("%s, L2 cache %.1f MiB\n%10s %8s %10s %10s %10s\n", device.name,
              static_cast<double>(l2_bytes) / (1 << 20), "MiB", "of L2", "read GB/s", "write GB/s",
              "copy GB/s");

  const std::size_t most = (8 * l2_bytes / sizeof(uint4) + 2 * chunk);
  uint4* data = nullptr;
  ref::check(cudaMalloc(&data, most * sizeof(uint4)));
  ref::check(cudaMemset(data, 0, most * sizeof(uint4)));
  for (double part = 0.125; part <= 8; part *= 2) {
    const auto wanted = static_cast<std::size_t>(part * static_cast<double>(l2_bytes));
    const std::size_t half = std::max(chunk, wanted / sizeof(uint4) / 2 / chunk * chunk);
    const std::size_t count = 2 * half;
    const double bytes = static_cast<double>(count * sizeof(uint4));
    const auto passes = static_cast<unsigned>(kBytesPerLaunch / bytes) + 1;
    const double moved = bytes * passes;
    const double read =
        best_gb_per_s(moved, [&] { read_all<<<blocks, kThreads>>>(data, count, passes, data); });
    const double write =
        best_gb_per_s(moved, [&] { write_all<<<blocks, kThreads>>>(data, count, passes); });
    const double copied = best_gb_per_s(
        moved, [&] { copy_all<<<blocks, kThreads>>>(data, data + half, half, passes); });
    std::printf("%10.1f %8.3f %10.0f %10.0f %10.0f\n", bytes / (1 << 20),
                bytes / static_cast<double>(l2_bytes), read, write, copied);
  }
  ref::check(cudaFree(data));
}

}  // namespace

int main() {
  try {
    measure();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "l2_bandwidth: %s\n", error.what());
    return 1;
  }
  return 0;
}
