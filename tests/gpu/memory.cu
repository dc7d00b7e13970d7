// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations of every kind under layers, with its own count of each layer's operations and bytes;
// memory.py compares them with the report. Prints JSON: {layer: {memory: [allocations, bytes,
// releases, released bytes]}}, and "peak": the most device memory at once. With an argument it
// allocates and releases that many times, and prints how long each pair takes.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

__global__ void touch(char* memory) { *memory = 1; }

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "memory: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

struct Sums {
  unsigned long long allocations = 0, bytes = 0, releases = 0, released = 0;
};

struct Block {
  void* address = nullptr;
  std::string memory;
  std::size_t bytes = 0;
};

/// What each layer does, counted.
class Ledger {
 public:
  void enter(const std::string& layer) {
    layer_ = layer;
    nvtxRangePushA(("layer:" + layer).c_str());
  }
  static void leave() { nvtxRangePop(); }

  Block device(std::size_t bytes) {
    void* address = nullptr;
    check(cudaMalloc(&address, bytes));
    return taken(address, "device", bytes);
  }
  Block pool(std::size_t bytes, cudaStream_t stream) {
    void* address = nullptr;
    check(cudaMallocAsync(&address, bytes, stream));
    return taken(address, "device", bytes);
  }
  Block managed(std::size_t bytes) {
    void* address = nullptr;
    check(cudaMallocManaged(&address, bytes));
    return taken(address, "managed", bytes);
  }
  Block pinned(std::size_t bytes) {
    void* address = nullptr;
    check(cudaMallocHost(&address, bytes));
    return taken(address, "pinned", bytes);
  }
  void release(const Block& block) {
    check(block.memory == "pinned" ? cudaFreeHost(block.address) : cudaFree(block.address));
    released(block);
  }
  void release(const Block& block, cudaStream_t stream) {
    check(cudaFreeAsync(block.address, stream));
    released(block);
  }

  void print() const {
    for (const auto& [layer, kinds] : sums_) {
      std::printf("%s\"%s\": {", layer == sums_.begin()->first ? "{" : ", ", layer.c_str());
      for (const auto& [memory, sum] : kinds) {
        std::printf("%s\"%s\": [%llu, %llu, %llu, %llu]",
                    memory == kinds.begin()->first ? "" : ", ", memory.c_str(), sum.allocations,
                    sum.bytes, sum.releases, sum.released);
      }
      std::printf("}");
    }
    std::printf(", \"peak\": %llu}\n", peak_);
  }

 private:
  Block taken(void* address, const char* memory, std::size_t bytes) {
    Sums& sum = sums_[layer_][memory];
    ++sum.allocations;
    sum.bytes += bytes;
    if (std::string(memory) == "device" && (live_ += bytes) > peak_) peak_ = live_;
    return {address, memory, bytes};
  }
  void released(const Block& block) {
    Sums& sum = sums_[layer_][block.memory];
    ++sum.releases;
    sum.released += block.bytes;
    if (block.memory == "device") live_ -= block.bytes;
  }

  std::string layer_;
  std::map<std::string, std::map<std::string, Sums>> sums_;
  unsigned long long live_ = 0, peak_ = 0;
};

void run_layers(Ledger& ledger) {
  std::vector<Block> kept;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));

  ledger.enter("weights");
  for (std::size_t i = 1; i <= 10; ++i) kept.push_back(ledger.device(i * 1'000'003));
  kept.push_back(ledger.managed(5'000'000));
  kept.push_back(ledger.pinned(3'000'001));
  Ledger::leave();

  ledger.enter("activations");
  for (std::size_t i = 1; i <= 100; ++i) {
    const Block block = ledger.pool(i * 4'001, stream);
    touch<<<1, 1, 0, stream>>>(static_cast<char*>(block.address));
    ledger.release(block, stream);
  }
  const Block large = ledger.device(700'000'000);
  const Block pool = ledger.pool(300'000'000, stream);
  ledger.release(pool, stream);
  ledger.release(large);
  Ledger::leave();

  ledger.enter("end");
  for (const Block& block : kept) ledger.release(block);
  Ledger::leave();
  check(cudaStreamDestroy(stream));
}

/// Addresses go from thread to thread. The sizes are equal, so that the sums do not depend on which
/// thread gets which.
void run_threads() {
  const auto work = [] {
    for (int i = 0; i < 200; ++i) {
      void* address = nullptr;
      check(cudaMalloc(&address, 2 << 20));
      check(cudaFree(address));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

/// Of no pool, released as if: CUPTI 13.0 crashes where it records that.
void release_to_no_pool(int count) {
  for (int i = 0; i < count; ++i) {
    void* address = nullptr;
    check(cudaMalloc(&address, 1 << 20));
    check(cudaFreeAsync(address, nullptr));
  }
}

void time_pairs(long count) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  // The pool keeps its memory, as an allocator's would.
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long all = ~0ULL;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  const auto timed = [&](const char* name, auto pair) {
    for (int i = 0; i < 100; ++i) pair();
    check(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) pair();
    check(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::printf("%s %.3f us\n", name, time.count() / static_cast<double>(count));
  };
  void* address = nullptr;
  timed("cudaMallocAsync", [&] {
    check(cudaMallocAsync(&address, 1 << 20, stream));
    check(cudaFreeAsync(address, stream));
  });
  timed("cudaMalloc", [&] {
    check(cudaMalloc(&address, 1 << 20));
    check(cudaFree(address));
  });
  check(cudaMalloc(&address, 1 << 20));
  timed("launch", [&] { touch<<<1, 1, 0, stream>>>(static_cast<char*>(address)); });
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "memory: no GPU\n");
    return 77;
  }
  if (argc > 1 && std::string(argv[1]) == "no-pool") {
    release_to_no_pool(3);
    check(cudaDeviceSynchronize());
    return 0;
  }
  if (argc > 1) {
    time_pairs(std::atol(argv[1]));
    return 0;
  }
  Ledger ledger;
  run_layers(ledger);
  run_threads();
  check(cudaDeviceSynchronize());
  ledger.print();
  return 0;
}
