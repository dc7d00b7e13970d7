// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the collector: in the process (loaded by prof-run or an NVTX call), beside libprof.so, or
// at $PROF_COLLECTOR. It stays loaded. Any thread.
#pragma once

#include <cstddef>

#include "libprof/control/collector_api.hpp"

namespace prof::capi {

/// The collector's table, or null and one line in `message`. Loads the collector only if `load`.
const ProfCollectorApi* find_collector(bool load, char* message, std::size_t bytes);

/// The collector that an earlier call found; null: none has. As cheap as reading a variable.
const ProfCollectorApi* known_collector();

}  // namespace prof::capi
