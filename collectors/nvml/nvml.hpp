// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The few functions of NVML that are needed, looked up in libnvidia-ml when a capture wants them:
// nothing is linked, and no header of NVML's is needed. One thread at a time, never one of the
// program's.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"

struct nvmlDevice_st;

namespace prof::collectors {

class Nvml {
 public:
  using Device = nvmlDevice_st*;

  /// Loads and initializes the library. An error is one line with the reason.
  Status open();
  /// Undoes the initialization. The library stays loaded.
  void close();

  /// The GPU of a UUID ("GPU-xxxxxxxx-..."); null if NVML does not know it.
  [[nodiscard]] Device find(std::string_view uuid) const;

  /// Its state now; what cannot be queried is absent. Sets neither device nor time.
  [[nodiscard]] DeviceStateRecord state_of(Device device) const;

 private:
  struct Functions;
  const Functions* functions_ = nullptr;
};

}  // namespace prof::collectors
