// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace of torch.profiler (Kineto's Chrome trace) to records: docs/import.md says what becomes
// what. In bounded memory, whatever the file's size.
#pragma once

#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"
#include "tools/import/importer.hpp"

namespace prof::importers {

Result<Imported> import_kineto(const Source& source, RecordSink& sink);

}  // namespace prof::importers
