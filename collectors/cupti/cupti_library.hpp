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

/// What find_cupti() goes by. Texts are values of the environment and may be empty.
struct CuptiSearch {
  std::string cuda_home;
  std::string library_path;     ///< LD_LIBRARY_PATH.
  int cuda_driver_version = 0;  ///< As cuDriverGetVersion() tells it; 0: not known.
};

/// The paths and names that are tried, in order, where no libcupti is mapped: the folders that the
/// user named, whatever the loader finds, the toolkit. A driver older than CUDA 13 needs a CUPTI
/// that is, too.
std::vector<std::string> cupti_candidates(const CuptiSearch& search);

/// Finds or loads libcupti.
Result<CuptiLibrary> find_cupti(const CuptiSearch& search);

}  // namespace prof::collectors
