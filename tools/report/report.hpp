// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report: a question that prof-report answers. A report has a name, a row kind (rows/), columns and
// a function that turns rows into cells. It knows nothing about forms and widths (renderer.hpp). To
// add one: docs/add_report.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/cell.hpp"
#include "tools/report/renderer.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// A report's description.
struct ReportInfo {
  std::string_view name, help;  ///< `help` is one line.
  std::string_view rows;        ///< What it reads, in words.
  bool has_steps = false;       ///< Its rows belong to steps: --step applies.
  std::vector<Column> columns;  ///< All columns for -c, in the order of --list.
  /// Indices of the columns shown without -c: a few for people, all non-redundant ones for
  /// programs.
  std::vector<std::size_t> table, machine;
  std::vector<std::size_t> of_several;  ///< First columns of a table over several traces.

  /// The columns a form shows without -c.
  [[nodiscard]] std::vector<std::size_t> shown(Form form, bool several_traces) const;
};

class Report {
 public:
  explicit Report(ReportInfo info) : info_(std::move(info)) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  virtual ~Report() = default;

  [[nodiscard]] const ReportInfo& info() const { return info_; }

  /// Writes rows with the cells of the `chosen` columns (indices). Returns early, with ok, when the
  /// sink wants no more.
  virtual Status run(const RowInput& input, std::span<const std::size_t> chosen,
                     RowSink& sink) const = 0;

 private:
  ReportInfo info_;
};

/// Indices of comma-separated column words. An unknown or empty word is an error that lists the
/// valid ones; so is a duplicate, which a JSON object cannot hold.
Result<std::vector<std::size_t>> choose_columns(const ReportInfo& report, std::string_view words);

/// "idx,op": column words in the syntax of -c.
std::string column_words(const ReportInfo& report, std::span<const std::size_t> indices);

}  // namespace prof::reports
