// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of prof-report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/manual.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/filter/layer_view.hpp"
#include "tools/report/filter/line_filter.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// A report to print.
struct ReportRequest {
  const Report* report = nullptr;
  std::vector<std::size_t> columns;  ///< Indices into the columns of the report.
  LineOptions lines;
};

struct Options {
  std::vector<std::string> traces;
  std::vector<ReportRequest> reports;  ///< At least one, unless there is `sql`.
  const FormInfo* form = nullptr;
  std::optional<std::string> sql;            ///< A statement instead of reports.
  std::optional<formats::Format> format;     ///< An export instead of reports.
  std::optional<std::string> page;           ///< A page's file instead of reports.
  std::optional<std::uint64_t> ncu_idx;      ///< A kernel to measure again, instead of reports.
  std::optional<std::uint64_t> explain_idx;  ///< A kernel to explain, instead of reports.
  RowFilter filter;
  LayerView layers;
  std::optional<bool> short_ranges;   ///< RowFilter::short_ranges of all reports, and of SQL.
  bool columns_chosen = false;        ///< The user names the columns.
  std::optional<std::string> output;  ///< A file, or a folder for a file of each report.
  std::size_t base_traces = 0;        ///< Of a comparison: so many traces, the first, are the base.
  std::optional<double> fail_above_pct;  ///< A period that is longer by more is a failure.
  std::size_t jobs = 1;                  ///< Threads that read traces.
  std::optional<std::uint64_t> show;     ///< A line of advice whose rows are printed instead.
  bool report_chosen = false;            ///< The user names the reports.
  bool pages = true;                     ///< What is longer than the terminal goes to a pager.
  bool save = false;                     ///< No report: the attribution goes into the trace.
  RangeOptions range_options;            ///< --domain, --step-range

  /// Where this is set it is to be printed, and nothing else to be done: --help, --version, --list.
  std::optional<std::string> answer;
};

/// Anything that does not hold together is an Error: a usage error.
Result<Options> parse_options(int argc, const char* const* argv, const Registry& registry);
/// The same options, for the manual page and for completion.
tools::Manual manual(const Registry& registry);

}  // namespace prof::reports
