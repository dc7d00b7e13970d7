// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --list: reports, tables for SQL and their columns, from the registry and the row
// kinds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

struct RowKind;

/// What is listed with its columns.
struct Listed {
  std::vector<const Report*> reports;
  std::vector<const RowKind*> tables;
};

/// The name of all.
inline constexpr std::string_view kAllNames = "all";

/// Names of reports, lists of reports and tables, separated by commas; empty or "all": all. An
/// unknown one is an error of the option, and names the nearest.
Result<Listed> find_listed(const Registry& registry, std::string_view names,
                           std::string_view option);

/// The ten reports that most questions need.
std::string list_first(const Registry& registry);
/// A line for each report and table, grouped by purpose.
std::string list_names(const Registry& registry);
/// With columns, their units and meaning.
std::string list_columns(const Listed& listed);
/// For programs: an array with an object for each report and table, each on its own line, or the
/// lines alone.
std::string list_as_json(const Listed& listed, bool lines_alone);
/// The JSON Schema of what -f json prints of a report; of several, one with a definition for each.
/// `unit` is that of a number, `words` what the words of a column mean.
std::string json_schema(const Listed& listed);

}  // namespace prof::reports
