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
constexpr double kLeastOfL2 = 0.125;
constexpr double kMostOfL2 = 8;

/// The places that a thread visits, one stride of the grid apart and around: data of any size takes
/// as many accesses as the launch makes. `count` is a multiple of the block's threads, so a warp's
/// places are next to each other.
class Places {
 public:
  __device__ explicit Places(std::size_t count)
      : count_(count),
        step_(std::size_t{gridDim.x} * blockDim.x % count),
        place_((std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) % count) {}

  __device__ std::size_t next() {
    const std::size_t place = place_;
    place_ += step_;
    if (place_ >= count_) place_ -= count_;
    return place;
  }

 private:
  std::size_t count_, step_, place_;
};

// Loads and stores bypass the L1 cache (.cg). Every thread makes kUnrolled accesses, `rounds`
// times.
__global__ void read_all(const uint4* from, std::size_t count, unsigned rounds, uint4* never) {
  Places places(count);
  uint4 sum = {};
  for (unsigned round = 0; round < rounds; ++round) {
    uint4 values[kUnrolled];
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) values[k] = __ldcg(from + places.next());
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) {
      sum.x ^= values[k].x;
      sum.y ^= values[k].y;
      sum.z ^= values[k].z;
      sum.w ^= values[k].w;
    }
  }
  // The compiler cannot know that this does not happen.
  if (sum.x == 1 && sum.y == 2 && sum.z == 3 && sum.w == 4) *never = sum;
}

__global__ void write_all(uint4* to, std::size_t count, unsigned rounds) {
  Places places(count);
  for (unsigned round = 0; round < rounds; ++round) {
    const uint4 value = {round, round, round, round};
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) __stcg(to + places.next(), value);
  }
}

__global__ void copy_all(const uint4* from, uint4* to, std::size_t count, unsigned rounds) {
  Places sources(count), targets(count);
  for (unsigned round = 0; round < rounds; ++round) {
    uint4 values[kUnrolled];
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) values[k] = __ldcg(from + sources.next());
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) __stcg(to + targets.next(), values[k]);
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

/// About so many bytes. An odd number of blocks' worth, which shares few factors with the grid, so
/// that a block visits many parts and not the same few.
std::size_t elements_of(double bytes) {
  const auto parts = static_cast<std::size_t>(bytes / sizeof(uint4) / kThreads);
  return (parts | 1) * kThreads;
}

void measure() {
  cudaDeviceProp device{};
  ref::check(cudaGetDeviceProperties(&device, 0));
  const auto l2_bytes = static_cast<std::size_t>(device.l2CacheSize);
  const unsigned blocks =
      static_cast<unsigned>(device.multiProcessorCount) * kBlocksPerMultiprocessor;
  const double bytes_per_round = static_cast<double>(blocks) * kThreads * kUnrolled * sizeof(uint4);
  const auto rounds = static_cast<unsigned>(kBytesPerLaunch / bytes_per_round) + 1;
  const double moved = bytes_per_round * rounds;
  std::printf("%s, L2 cache %.1f MiB\n%10s %8s %10s %10s %10s\n", device.name,
              static_cast<double>(l2_bytes) / (1 << 20), "MiB", "of L2", "read GB/s", "write GB/s",
              "copy GB/s");

  const std::size_t most = elements_of(kMostOfL2 * static_cast<double>(l2_bytes));
  uint4* data = nullptr;
  ref::check(cudaMalloc(&data, most * sizeof(uint4)));
  ref::check(cudaMemset(data, 0, most * sizeof(uint4)));
  for (double part = kLeastOfL2; part <= kMostOfL2; part *= 2) {
    const double wanted = part * static_cast<double>(l2_bytes);
    const std::size_t count = elements_of(wanted);
    const std::size_t half = elements_of(wanted / 2);
    const double bytes = static_cast<double>(count * sizeof(uint4));
    const double read =
        best_gb_per_s(moved, [&] { read_all<<<blocks, kThreads>>>(data, count, rounds, data); });
    const double write =
        best_gb_per_s(moved, [&] { write_all<<<blocks, kThreads>>>(data, count, rounds); });
    const double copied = best_gb_per_s(2 * moved, [&] {
      copy_all<<<blocks, kThreads>>>(data, data + count - half, half, rounds);
    });
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
