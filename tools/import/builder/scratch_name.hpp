// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where an import keeps scratch files: in the folder of its unfinished trace, which is removed with
// what is in it (staged_trace.cpp).
#pragma once

#include <string>
#include <utility>

#include "libprof/base/scratch_file.hpp"

namespace prof::importers {

inline constexpr const char* kScratchName = "/scratch";

inline ScratchPlace scratch_in(std::string folder) {
  return {.folder = std::move(folder), .name = kScratchName};
}

}  // namespace prof::importers
