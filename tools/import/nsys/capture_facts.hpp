// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An export's statements about a process's capture: devices, versions, the program, when it
// started.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libprof/source/record_sink.hpp"
#include "tools/import/importer.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers::nsys {

/// Passes devices and facts about the capture to the sink.
Status pass_capture_facts(TableFile& file, const Process& process, RecordSink& sink);

/// The base from which times count, in ns since the epoch; 0 if the export does not say, or has
/// such times.
Result<std::int64_t> base_ns(TableFile& file);

/// CUPTI's words of overheads, by nsys's numbers: "LAZY_FUNCTION_LOADING". Words that say nothing
/// are left out: such overheads have a name.
Result<std::map<std::int64_t, std::string>> overhead_words(TableFile& file);

}  // namespace prof::importers::nsys
