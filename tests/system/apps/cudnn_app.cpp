// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Every wrapped form of cuDNN (tests/support/cudnn_calls), linked against the stand-in:
//   cudnn_app          makes the calls once
//   cudnn_app threads  in four threads at once, each with graphs of its own
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "calls.hpp"

int main(int count, char** words) {
  std::vector<char> memory(1 << 16);
  const cudnn_calls::Machine machine{memory.data(), memory.size(), nullptr,
                                     false,         nullptr,       nullptr};
  const auto make = [&machine] {
    cudnnHandle_t handle = nullptr;
    cudnnCreate(&handle);
    const int refused = cudnn_calls::make_layer_calls(machine, handle) +
                        cudnn_calls::make_backend_calls(machine, handle);
    cudnnDestroy(handle);
    return refused;
  };
  if (count < 2 || std::strcmp(words[1], "threads") != 0) return make();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(make);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
