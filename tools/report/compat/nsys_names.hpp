// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that Nsight Systems has for one or several of its reports.
#pragma once

#include <span>
#include <string_view>

#include "tools/report/query/registry.hpp"

namespace prof::reports {

/// A name for several reports.
struct ReportList {
  std::string_view name, help;
  std::span<const std::string_view> reports;
};
std::span<const ReportList> report_lists();

/// Names of reports in its older versions.
std::span<const OldName> old_names();

}  // namespace prof::reports
