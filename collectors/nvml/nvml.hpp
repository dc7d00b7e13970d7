// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The few functions of NVML that are needed, looked up in libnvidia-ml when a capture wants them:
// nothing is linked, and no header of NVML's is needed. One thread at a time, never one of the
// program's.
//
// A fork while open() loads the library: the child is created with the loader's lock held, as by
// any dlopen() on another thread, and may wait forever in a dlopen() of its own. Holding a lock
// during the fork cannot prevent it: the forking thread may hold a lock that the loading needs (the
// loader's lock in a constructor, an allocator's in its fork handler), and both would wait forever.
// The library is loaded with the first GPU work of a capture.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"

struct nvmlDevice_st;

namespace prof::collectors {

class Nvml {
 public:
  using Device = nvmlDevice_st*;

  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Loads and initializes the library. An error is one line with the reason.
  Status open();
  /// Undoes the initialization. The library stays loaded.
  void close();
  /// From now on the library is not called any more, not even by close(): the process may be
  /// exiting. A call in progress continues. Any thread.
  void abandon() { is_abandoned_.store(true, std::memory_order_relaxed); }

  /// The GPU of a UUID ("GPU-xxxxxxxx-..."); null if NVML does not know it.
  [[nodiscard]] Device find(std::string_view uuid) const;

  /// The GPU's current state; values that cannot be queried are absent. Sets neither device nor
  /// time.
  [[nodiscard]] DeviceStateRecord state_of(Device device) const;

 private:
  struct Functions;
  template <typename Value, typename Function, typename... Arguments>
  [[nodiscard]] std::optional<Value> ask(Function* query, Arguments... arguments) const;
  [[nodiscard]] bool is_abandoned() const { return is_abandoned_.load(std::memory_order_relaxed); }

  std::unique_ptr<const Functions> functions_;  ///< Null: not open.
  std::atomic<bool> is_abandoned_{false};
};

}  // namespace prof::collectors
