// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the collector's own code is in memory. Its calls on threads of the program are known by
// where they return to. Pure.
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

/// Of the library or program that this function is linked into.
CodeRange own_code() noexcept;

}  // namespace prof::collectors
