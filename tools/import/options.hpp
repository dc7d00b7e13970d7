// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of prof-import, for its command line and for its manual.
#pragma once

#include "tools/common/manual.hpp"
#include "tools/import/import_file.hpp"
#include "tools/import/importers/registry.hpp"

namespace prof::importers {

/// Adds the options to `app`, which writes to `options` when it parses.
void define_options(CLI::App& app, const Registry& registry, ImportOptions& options);
tools::Manual manual(const Registry& registry);

}  // namespace prof::importers
