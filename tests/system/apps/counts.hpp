// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The test program's own counts of its work, compared with what the profiler recorded. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

class Counts {
 public:
  /// In a child made by fork: another thread may have held the lock, so nothing is counted there.
  void close() { is_open_ = false; }

  void add(const std::string& group, const std::string& name, std::uint64_t count) {
    if (!is_open_) return;
    const std::lock_guard lock(mutex_);
    groups_[group][name] += count;
  }

  /// {"kernels":{"gemm":3},...}; names must need no escapes.
  void write_json(const char* path) {
    const std::lock_guard lock(mutex_);
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) return;
    const char* group_separator = "{";
    for (const auto& [group, names] : groups_) {
      std::fprintf(file, "%s\"%s\":", group_separator, group.c_str());
      const char* separator = "{";
      for (const auto& [name, count] : names) {
        std::fprintf(file, "%s\"%s\":%llu", separator, name.c_str(),
                     static_cast<unsigned long long>(count));
        separator = ",";
      }
      std::fputs("}", file);
      group_separator = ",";
    }
    std::fputs(groups_.empty() ? "{}\n" : "}\n", file);
    std::fclose(file);
  }

 private:
  std::atomic<bool> is_open_{true};
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::uint64_t>> groups_;
};
