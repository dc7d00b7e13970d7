// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory range of the collector's own code. Its calls on threads of the program are recognized
// by their return addresses. Pure.
#pragma once

#include <cstdint>

namespace prof::collectors {

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] bool holds(const void* place) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    return at >= begin && at < end;
  }
};

/// The code of the library or program that this function is linked into.
CodeRange own_code() noexcept;

}  // namespace prof::collectors
