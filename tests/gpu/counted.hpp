// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The counters of count_launches, and the interface between its two translation units.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

/// Ends the program with status 3 and a line at the first CUDA error.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "count_launches: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}
#define CHECK(call) check((call), #call)

class Counts {
 public:
  void add(const std::string& group, const std::string& name, long count = 1) {
    const std::lock_guard<std::mutex> lock(mutex_);
    groups_[group][name] += count;
  }
  void print() const {
    const char* group_separator = "{";
    for (const auto& [group, names] : groups_) {
      std::printf("%s\"%s\": ", group_separator, group.c_str());
      const char* separator = "{";
      for (const auto& [name, count] : names) {
        std::printf("%s\"%s\": %ld", separator, name.c_str(), count);
        separator = ", ";
      }
      std::printf("}");
      group_separator = ", ";
    }
    std::printf("}\n");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, long>> groups_;
};

/// Compiled with --default-stream per-thread (count_launches_ptds.cu).
void launch_per_thread_stream(Counts& counts, float* data, float* other, int rounds);
