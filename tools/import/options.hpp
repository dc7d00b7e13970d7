// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of prof-import, for its command line and for its manual.
#pragma once

#include <memory>

#include "tools/common/command_line.hpp"
#include "tools/import/import_file.hpp"
#include "tools/import/importer.hpp"

namespace prof::importers {

/// Writes to `options` when it parses.
std::unique_ptr<tools::CommandLine> command_line(ImportOptions& options);
tools::Manual manual();

}  // namespace prof::importers
