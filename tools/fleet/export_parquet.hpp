// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-fleet export --parquet: each table as a file, for DuckDB, pandas, Spark and any other
// reader. Only rows that count.
#pragma once

#include <string>

#include "libprof/base/result.hpp"
#include "tools/fleet/store/store.hpp"

namespace prof::fleet {

/// Returns a line that says what was written.
Result<std::string> export_parquet(Store& store, const std::string& folder);

}  // namespace prof::fleet
