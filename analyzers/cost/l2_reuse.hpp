// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// L2Reuse: the bytes of a device's kernels that its L2 cache serves, because a kernel wrote them
// just before. No trace has addresses. It has the order of kernels, the bytes that each one moves,
// and the sizes of its operands (docs/conventions.md, Bytes in the L2): a kernel reads what one
// before it on its stream wrote if both state an operand of that size, and it is still in the cache
// if it and all that was moved since fit. Owned by one cursor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/devices/device_limits.hpp"
#include "analyzers/model/attribution.hpp"

namespace prof {

class L2Reuse {
 public:
  explicit L2Reuse(const devices::DeviceLimits& device)
      : size_(device.l2().bytes), memory_bytes_per_s_(device.memory_bytes_per_s()) {}

  /// The part of the kernel's bytes that the L2 serves. Call for each kernel of the device, in the
  /// order of launches.
  double take(const Attribution& kernel, std::uint32_t stream, std::int64_t duration_ns);

 private:
  /// When the last operands of a size were moved, as bytes that the device had moved by then.
  struct Written {
    static constexpr std::size_t kKept = 4;
    std::array<double, kKept> moved = {};
    std::size_t count = 0;
  };

  [[nodiscard]] std::uint64_t key(double bytes, std::uint32_t stream) const;
  /// The latest one that is still in the cache, and that this kernel has not used yet; or null.
  double* find(double bytes, std::uint32_t stream);
  void remember(double bytes, std::uint32_t stream, double moved, bool is_same_op);

  double size_, memory_bytes_per_s_;
  double moved_ = 0;
  std::uint64_t last_op_ = 0;
  FlatMap<Written> written_;
};

}  // namespace prof
