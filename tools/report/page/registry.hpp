// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page's own reports: rows of the tables for --sql, which no report lists.
#pragma once

#include "tools/report/query/registry.hpp"

namespace prof::reports {

/// Adds every report of the list (generated, see cmake/registry.cmake).
void register_page(Registry& registry);

}  // namespace prof::reports
