// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of reports that print what other tools do.
#pragma once

#include "tools/report/query/registry.hpp"

namespace prof::reports {

/// Adds every report of the list (generated, see cmake/registry.cmake).
void register_compat(Registry& registry);

}  // namespace prof::reports
