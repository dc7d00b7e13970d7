// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --list: reports and their columns, from the registry.
#pragma once

#include <string>

#include "tools/report/reports/registry.hpp"

namespace prof::reports {

std::string list_report(const Report& report);
std::string list_reports(const Registry& registry);

}  // namespace prof::reports
