// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PoolReleases: prevents a crash of the program while memory is recorded. For memory that
// cuMemFreeAsync() releases, CUPTI (seen in 13.0) reads the pool without checking whether there is
// one: it crashes at memory of cuMemAlloc(), which cuSPARSE, for one, releases in this way. During
// such a call no memory is recorded: neither that release, which is counted, nor allocations and
// releases of other threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace prof::collectors {

class PoolReleases {
 public:
  /// Switches CUPTI's records of memory on or off.
  using Switch = void (*)(void* driver, bool is_on);

  PoolReleases(Switch set_recording, void* driver) noexcept
      : set_recording_(set_recording), driver_(driver) {}

  /// A recording begins or ends. The caller switches the records themselves.
  void start() noexcept;
  void stop() noexcept;

  /// To be called at the beginning and at the end of a call of cuMemFreeAsync(); any thread. Takes
  /// a lock only if the memory has no pool.
  void begin(const void* parameters) noexcept;
  void end(bool succeeded) noexcept;

  /// Number of releases that were not recorded since the last call.
  std::uint64_t take_unrecorded() noexcept { return unrecorded_.exchange(0); }

 private:
  const Switch set_recording_;
  void* const driver_;
  std::mutex mutex_;  // guards the members that follow
  // number of the recording; a call that began in an earlier one ends nothing
  std::uint32_t recording_ = 0;
  bool is_recording_ = false;
  std::uint32_t open_ = 0;  // number of calls that are hidden now
  std::atomic<std::uint64_t> unrecorded_{0};
};

}  // namespace prof::collectors
