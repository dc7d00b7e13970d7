// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of CUDA functions as stored in traces. Pure functions.
#pragma once

#include <string_view>

namespace prof {

/// Strips the variant suffixes of "cudaLaunchKernel_ptsz_v7000" or "cuMemAlloc_v2".
constexpr std::string_view plain_function_name(std::string_view name) {
  const auto drop_version = [&name] {
    std::size_t end = name.size();
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
    if (end == name.size() || end < 2 || name.substr(end - 2, 2) != "_v") return false;
    name = name.substr(0, end - 2);
    return true;
  };
  const auto drop_suffix = [&name](std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.remove_suffix(suffix.size());
    return true;
  };
  while (drop_version() || drop_suffix("_ptsz") || drop_suffix("_ptds")) {
  }
  return name;
}

}  // namespace prof
