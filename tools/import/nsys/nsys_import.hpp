// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports what Nsight Systems exports as SQLite (docs/import.md).
#pragma once

#include <vector>

#include "tools/import/importers/importer.hpp"

namespace prof::importers {

Result<std::vector<Process>> nsys_processes(const Source& source);
Result<Imported> import_nsys(const Source& source, RecordSink& sink);

}  // namespace prof::importers
