// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All reports of prof-report, in the order of --list.
#pragma once

#include "tools/report/query/registry.hpp"

namespace prof::reports {

void register_reports(Registry& registry);

}  // namespace prof::reports
