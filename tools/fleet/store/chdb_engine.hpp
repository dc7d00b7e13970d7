// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ClickHouse in this process: libchdb.so (package @chdb/lib-linux-x64-gnu of npm), loaded when it
// is first needed, on a folder that it makes. One process at a time has a folder open.
#pragma once

#include <memory>
#include <string>

#include "libprof/base/result.hpp"
#include "tools/fleet/store/engine.hpp"

namespace prof::fleet {

/// `library` may be empty: the environment's PROF_CHDB, or where npm installs it. Without
/// `may_make` a folder that does not exist is an error.
Result<std::unique_ptr<Engine>> open_chdb(const std::string& folder, bool may_make);

}  // namespace prof::fleet
