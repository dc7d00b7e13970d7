// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PoolReleases: keeps records of memory from ending the program. CUPTI (seen in 13.0) reads the
// pool of what cuMemFreeAsync() releases without asking whether there is one: memory of
// cuMemAlloc(), as cuSPARSE releases it, crashes there. During such a call CUPTI records no memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace prof::collectors {

class PoolReleases {
 public:
  /// Looks up libcupti's functions. `library`: from dlopen().
  void load(void* library);

  /// Records of memory are enabled from now on, or no longer.
  void set_recording(bool is_recording) noexcept;

  /// At the beginning and at the end of a call of cuMemFreeAsync(), with its parameters; any
  /// thread. Takes a lock only if the memory has no pool.
  void begin(const void* parameters) noexcept;
  void end() noexcept;

  /// Releases that were not recorded since the last call.
  std::uint64_t take_unrecorded() noexcept { return unrecorded_.exchange(0); }

 private:
  void set_enabled(bool is_enabled) noexcept;

  void* enable_ = nullptr;
  void* disable_ = nullptr;
  std::mutex mutex_;  // guards what follows
  bool is_recording_ = false;
  std::uint32_t open_ = 0;  // calls that are hidden now
  std::atomic<std::uint64_t> unrecorded_{0};
};

}  // namespace prof::collectors
