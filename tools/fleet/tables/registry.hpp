// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a store that are SQL files here. To add one: a file, a word in CMakeLists.txt, and
// a line in fleet_table.cpp.
#pragma once

#include "tools/report/query/registry.hpp"

namespace prof::fleet_tables {

using reports::Registry;

/// Adds every table of the list (generated, see cmake/registry.cmake).
void register_tables(Registry& registry);

}  // namespace prof::fleet_tables
