// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A hash of tensors' bits, to check whether two runs gave identical results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/device_buffer.hpp"

namespace ref {

/// Hashes everything added, in that order: 0.0 and -0.0 differ, so do NaNs with different payloads.
class Checksum {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    for (const T& value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      hash_ = (hash_ ^ bits) * 0x9e3779b97f4a7c15U;  // odd, so no bit of what came before is lost
      hash_ ^= hash_ >> 32;
    }
  }
  /// Waits for the whole device.
  template <typename T>
  void add(const DeviceBuffer<T>& buffer) {
    add(buffer.download());
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x243f6a8885a308d3U;
};

}  // namespace ref
