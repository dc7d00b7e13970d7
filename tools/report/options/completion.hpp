// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What prof-report's manual has besides its options: reports, and the values of options.
#pragma once

#include <map>
#include <string>

#include "tools/common/manual.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

/// By long flag.
std::map<std::string, tools::Values> option_values(const Registry& registry);
/// Every report with its columns.
tools::ManualSection report_section(const Registry& registry);

}  // namespace prof::reports
