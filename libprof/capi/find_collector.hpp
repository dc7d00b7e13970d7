// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the collector: in the process (prof-run or an NVTX call brought it), beside libprof.so, or
// where $PROF_COLLECTOR says. It stays loaded. Any thread.
#pragma once

#include <cstddef>

#include "collectors/inject/control.hpp"

namespace prof::capi {

/// The collector's table, or null with one line in `message`. Loads the collector only with `load`.
const ProfCollectorApi* find_collector(bool load, char* message, std::size_t bytes);

}  // namespace prof::capi
