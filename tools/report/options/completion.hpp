// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The words that options take, for completion by shells and the manual page; and what the manual
// page has besides options.
#pragma once

#include <string_view>

#include "tools/common/manual.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

tools::Values report_values(const Registry& registry);
/// What --list takes: reports and tables.
tools::Values listed_values(const Registry& registry);
tools::Values form_values();
tools::Values export_values();
/// Of an option that chooses rows by a column.
tools::Values filter_values(std::string_view flag);
// Columns, by the report.
tools::Values column_values(const Registry& registry);
tools::Values key_values(const Registry& registry);
tools::Values sort_values(const Registry& registry);

/// Every report with its columns.
tools::ManualSection report_section(const Registry& registry);

}  // namespace prof::reports
