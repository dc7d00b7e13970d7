// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The processes in an export. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/import/importer.hpp"
#include "tools/import/nsys/row_source.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers::nsys {

/// Processes with events of CUDA or NVTX, or else with calls of the operating system, by their ids.
/// One has id kAllRows if no other process has events: every row is its own, also those that name
/// none, as in exports with fewer columns. Otherwise events of no process belong to one of id 0.
Result<std::vector<Process>> find_processes(TableFile& file);

/// All tables that are read.
std::vector<RowSource> all_sources();

}  // namespace prof::importers::nsys
