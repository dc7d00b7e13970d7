// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report: a question that prof-report answers. A report has a name, columns and a function that
// turns selected GPU work into rows of cells. It knows nothing of forms and widths (renderer.hpp).
// To add one: docs/add_report.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/trace_reader.hpp"
#include "tools/report/cell.hpp"
#include "tools/report/renderer.hpp"
#include "tools/report/selection.hpp"

namespace prof::reports {

struct ReportInput {
  TraceReader& trace;
  Selection& selection;
};

class Report {
 public:
  virtual ~Report() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view help() const = 0;  ///< One line.
  [[nodiscard]] virtual TraceReader::Work work() const = 0;

  /// All columns that -c takes, in the order of --list.
  [[nodiscard]] virtual std::span<const Column> columns() const = 0;
  /// Words, joined by ',', that are shown without -c: few for people, all that is useful for
  /// machines.
  [[nodiscard]] virtual std::string_view table_columns() const = 0;
  [[nodiscard]] virtual std::string_view machine_columns() const = 0;

  /// Writes rows whose cells are those of `chosen`, indices into columns(). Returns early, with ok,
  /// when the sink wants no more.
  virtual Status run(const ReportInput& input, std::span<const std::size_t> chosen,
                     RowSink& sink) const = 0;
};

/// Indices of comma-separated column words. An unknown or empty word is an error that lists the
/// valid ones; so is a word given twice, which no JSON object can hold.
Result<std::vector<std::size_t>> choose_columns(const Report& report, std::string_view words);

}  // namespace prof::reports
