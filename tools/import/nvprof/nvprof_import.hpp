// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Databases that nvprof -o wrote, as records (docs/import.md). One thread.
#pragma once

#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"
#include "tools/import/importers/importer.hpp"

namespace prof::importers {

Result<std::vector<Process>> nvprof_processes(const Source& source);
Result<Imported> import_nvprof(const Source& source, RecordSink& sink);

}  // namespace prof::importers
