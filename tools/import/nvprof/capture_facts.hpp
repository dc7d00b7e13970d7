// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A database's statements about the capture and the machine. One thread.
#pragma once

#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"
#include "tools/import/importer.hpp"
#include "tools/import/tables/table_file.hpp"
#include "tools/import/tables/table_texts.hpp"

namespace prof::importers::nvprof {

/// Passes GPUs, and nvprof's version of its tables.
Status pass_capture_facts(TableFile& file, TableTexts& texts, const Process& process,
                          RecordSink& sink);

}  // namespace prof::importers::nvprof
