// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of our own reports. To add one, add an entry to row_reports.cpp or a file here, and a
// word in CMakeLists.txt; docs/add.md.
#pragma once

#include "tools/report/query/registry.hpp"

namespace prof::reports {

/// Adds every report of the list (generated, see cmake/registry.cmake).
void register_builtin(Registry& registry);

}  // namespace prof::reports
