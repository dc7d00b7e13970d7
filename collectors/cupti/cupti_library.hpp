// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the one libcupti of this process: the copy that something else already brought, or else the
// first one that can be loaded. Two copies in a process break each other, so a second is never
// loaded. Not the meaning of its functions: those are typed where cupti.h is known
// (cupti_driver.cpp). The library stays loaded until the process ends. Any thread; takes the
// loader's lock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof::collectors {

struct CuptiLibrary {
  void* handle = nullptr;
  std::string path;         ///< Where the file that is mapped lies.
  bool was_loaded = false;  ///< True: the program (torch, ...) had brought it.
};

/// Paths of all mapped libraries whose file name begins with `prefix`.
std::vector<std::string> mapped_libraries(std::string_view prefix);

/// The names and paths that are tried, in order, where no libcupti is mapped. `cuda_home` may be
/// empty.
std::vector<std::string> cupti_candidates(std::string_view cuda_home);

/// Finds or loads libcupti. `cuda_home`: the value of CUDA_HOME, may be empty.
Result<CuptiLibrary> find_cupti(std::string_view cuda_home);

}  // namespace prof::collectors
