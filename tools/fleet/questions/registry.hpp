// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of questions. To add one: a file NAME.sql here, and a word in CMakeLists.txt.
#pragma once

#include "tools/report/query/registry.hpp"

namespace prof::fleet_questions {

using reports::Registry;

/// Adds every question of the list (generated, see cmake/registry.cmake).
void register_questions(Registry& registry);

}  // namespace prof::fleet_questions
