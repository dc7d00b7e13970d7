// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --list: reports and their columns, from the registry.
#pragma once

#include <span>
#include <string>

#include "tools/report/report.hpp"

namespace prof::reports {

std::string list_report(const Report& report);

/// For programs: an array with an object for each report, each on its own line.
std::string list_as_json(std::span<const Report* const> reports);

}  // namespace prof::reports
