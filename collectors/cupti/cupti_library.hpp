// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the one libcupti of this process: the copy that is already loaded, or else the first that
// can be loaded. Two copies in a process break each other, so a second is never loaded. Its
// functions are typed where cupti.h is included (cupti_driver.cpp). The library stays loaded until
// the process ends. Any thread; takes the loader's lock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof::collectors {

struct CuptiLibrary {
  void* handle = nullptr;
  std::string path;         ///< Path of the mapped file.
  bool was_loaded = false;  ///< True: the program (torch, ...) had loaded it.
};

/// Paths of all mapped libraries whose file name begins with `prefix`.
std::vector<std::string> mapped_libraries(std::string_view prefix);

/// The inputs of find_cupti(). Texts are environment values and may be empty.
struct CuptiSearch {
  std::string cuda_home;
  std::string library_path;                     ///< LD_LIBRARY_PATH.
  int cuda_driver_version = 0;                  ///< As cuDriverGetVersion() reports it; 0: unknown.
  std::vector<std::string> wheel_folders = {};  ///< cupti_wheel_folders().
};

/// The paths and names to try, in order, if no libcupti is mapped: the folders named by the user,
/// those of the program's Python packages, the loader's search path, the toolkit. A driver older
/// than CUDA 13 needs a CUPTI older than CUDA 13, too.
std::vector<std::string> cupti_candidates(const CuptiSearch& search);

/// Finds or loads libcupti.
Result<CuptiLibrary> find_cupti(const CuptiSearch& search);

}  // namespace prof::collectors
