// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A program with parts that windows capture and others between them. Every kernel's grid is the
// number of its part, so that a trace shows for itself what it must not hold, and counters on the
// device say what ran.
//
// usage: windows steps|nvtx|profiler|graphs PARTS   every second part is to be captured; prints as
//                                                   JSON what ran in which
//        windows times STEPS KERNELS                prints how long each step took, ns
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "windows: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}
#define CHECK(call) check((call), #call)

constexpr int kMaxParts = 4096;

/// Counts itself by its number of blocks.
__global__ void marked(int* counters) {
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&counters[gridDim.x], 1);
}

class Parts {
 public:
  Parts(const std::string& kind, int parts) : kind_(kind), parts_(parts) {
    CHECK(cudaMalloc(&counters_, kMaxParts * sizeof(int)));
    CHECK(cudaMemset(counters_, 0, kMaxParts * sizeof(int)));
    CHECK(cudaStreamCreate(&stream_));
    if (kind_ == "graphs") make_graph();
  }

  void run() {
    for (int part = 1; part <= parts_; ++part) {
      const bool is_inside = part % 2 == 0;
      begin(part, is_inside);
      // Nothing is waited for: what is queued when a window ends belongs to it, too.
      for (int i = 0; i < 20 + part % 7; ++i) launch(part);
      if (kind_ == "graphs") CHECK(cudaGraphLaunch(graph_, stream_));
      if (is_inside && kind_ == "graphs") ++replays_inside_;
      end(is_inside);
      launch(kMaxParts - 2);  // Between the parts.
    }
    CHECK(cudaDeviceSynchronize());
  }

  void print() const {
    std::vector<int> counts(kMaxParts);
    CHECK(cudaMemcpy(counts.data(), counters_, kMaxParts * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("{\"replays_inside\": %d, \"inside\": {", replays_inside_);
    const char* comma = "";
    for (int part = 2; part <= parts_; part += 2) {
      std::printf("%s\"%d\": %d", comma, part, counts[part]);
      comma = ", ";
    }
    std::printf("}}\n");
  }

 private:
  void launch(int blocks) {
    marked<<<blocks, 32, 0, stream_>>>(counters_);
    CHECK(cudaGetLastError());
  }

  void begin(int part, bool is_inside) {
    if (kind_ == "profiler") {
      if (is_inside) CHECK(cudaProfilerStart());
    } else if (kind_ == "nvtx") {
      nvtxRangePushA(is_inside ? "decode" : "prefill");
    } else {
      nvtxRangePushA(("step:" + std::to_string(part)).c_str());
    }
  }
  void end(bool is_inside) {
    if (kind_ != "profiler") {
      nvtxRangePop();
    } else if (is_inside) {
      CHECK(cudaProfilerStop());
    }
  }

  /// In the layer "made", before any window.
  void make_graph() {
    nvtxRangePushA("layer:made");
    cudaGraph_t graph{};
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; ++i) launch(kMaxParts - 1);
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    nvtxRangePop();
  }

  const std::string kind_;
  const int parts_;
  int* counters_ = nullptr;
  cudaStream_t stream_{};
  cudaGraphExec_t graph_{};
  int replays_inside_ = 0;
};

/// Steps of short kernels, so that what a launch costs the host is what a step takes.
void print_times(int steps, int kernels) {
  int* counters = nullptr;
  CHECK(cudaMalloc(&counters, kMaxParts * sizeof(int)));
  for (int step = 0; step < steps; ++step) {
    const auto before = std::chrono::steady_clock::now();
    nvtxRangePushA(("step:" + std::to_string(step)).c_str());
    for (int i = 0; i < kernels; ++i) {
      nvtxRangePushA("layer:a");
      marked<<<1, 32>>>(counters);
      nvtxRangePop();
    }
    CHECK(cudaDeviceSynchronize());
    const auto took = std::chrono::steady_clock::now() - before;
    nvtxRangePop();
    std::printf("%d %lld\n", step, static_cast<long long>(std::chrono::nanoseconds(took).count()));
  }
}

}  // namespace

int main(int count, char** words) {
  const int number = count > 2 ? std::atoi(words[2]) : 0;
  if (count > 3 && std::strcmp(words[1], "times") == 0) {
    print_times(number, std::atoi(words[3]));
  } else if (count > 2 && number > 0 && number < kMaxParts - 2) {
    Parts parts(words[1], number);
    parts.run();
    parts.print();
  } else {
    std::fprintf(stderr, "usage: windows steps|nvtx|profiler|graphs PARTS | times STEPS KERNELS\n");
    return 2;
  }
  return 0;
}
