// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The processes in an export, and which rows are theirs. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/import/importers/registry.hpp"
#include "tools/import/nsys/export_file.hpp"
#include "tools/import/nsys/row_source.hpp"

namespace prof::importers::nsys {

/// By their ids. One of id kAllRows if no other process has events: every row is its own, also
/// those that name none, as in exports with fewer columns. Otherwise events of no process are one
/// of id 0.
Result<std::vector<Process>> find_processes(ExportFile& file);

inline constexpr std::uint64_t kAllRows = UINT64_MAX;

/// The rows of a source that are the process's; null if the table does not tell, and there are
/// several.
Result<std::optional<TableRows>> rows_of(ExportFile& file, const RowSource& source,
                                         const Process& process);

/// All tables that are read.
std::vector<RowSource> all_sources();

}  // namespace prof::importers::nsys
