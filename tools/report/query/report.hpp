// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report: a question that prof-report answers. A report has a name, a row kind (rows/), columns and
// a function that turns rows into cells. It knows nothing about forms and widths (renderer.hpp). To
// add one: docs/add.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/filter/layer_view.hpp"
#include "tools/report/table/cell.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

struct RowInput;

/// A column whose values are words of a list.
struct ColumnWords {
  std::string_view column;  ///< Empty: the report has none.
  struct Word {
    std::string_view word, help;
  };
  std::vector<Word> words = {};
};

/// A report's description.
struct ReportInfo {
  std::string_view name, help;  ///< `help` is one line.
  std::string_view title{};     ///< Heads it where several are printed; empty: `help` does.
  std::string_view missing{};   ///< The message if it has no line; empty: none.
  std::string_view rows;        ///< The rows that it reads, in words.
  bool has_steps = false;       ///< Its rows belong to steps: --step applies.
  bool has_step_lines = false;  ///< A table of it ends with what a step takes (step_lines.hpp).
  bool has_layers = false;      ///< Its lines may be of layers: --depth and --flat apply.
  bool has_each_gpu = false;    ///< It has lines for each GPU: of many ranks, tables show two.
  bool is_comparison = false;   ///< It compares two sides: --base, --new and --fail-above apply.
  /// Its rows know the ranges around them: --range applies.
  bool has_ranges = false;
  /// How often it reads the GPU work of a trace, at most. A run that reads it more than once keeps
  /// it (rows/attribute_once.hpp).
  std::uint8_t reads_work = 1;
  bool reads_timeline = false;  ///< It reads it as a timeline.
  /// It prints what another tool does, to which the text of a range is its name.
  bool has_whole_ranges = false;
  /// Columns by which rows can be chosen before the report sees them (filter/row_filter.hpp); of a
  /// report that is SQL, those of each table that it reads.
  std::vector<std::string_view> row_words = {};
  std::vector<Column> columns = {};  ///< All columns for -c, in the order of --list.
  std::size_t listed = 0;            ///< The first of these; the others are keys of a roll-up that
                                     ///< --list only names.
  /// The columns that a roll-up can group by; empty: it is none.
  std::vector<std::size_t> keys = {};
  /// Indices of the columns shown without -c: a few for people, all non-redundant ones for
  /// programs.
  std::vector<std::size_t> table = {}, machine = {};
  std::vector<std::size_t> of_several = {};  ///< First columns of a table over several traces.
  std::vector<std::size_t> of_ranks = {};  ///< Columns of `table` that one trace alone cannot fill.
  ColumnWords words = {};                  ///< The meaning of the words of one of its columns.

  /// The columns a form shows without -c.
  [[nodiscard]] std::vector<std::size_t> shown(Form form, bool several_traces) const;
};

/// Indices of columns of the report, given by their words, with commas.
std::vector<std::size_t> places_of(const ReportInfo& info, std::string_view words);

/// Adds the columns of a report that has a list of its own. Programs are shown all of them, people
/// those of `table`, and of several traces those of `of_several` before them: words with commas.
template <typename Columns>
void add_columns(const Columns& columns, ReportInfo& info, std::string_view table,
                 std::string_view of_several = {}) {
  for (const auto& one : columns) {
    info.machine.push_back(info.columns.size());
    info.columns.push_back(one.column);
  }
  info.listed = info.columns.size();
  info.table = places_of(info, table);
  info.of_several = places_of(info, of_several);
}

/// A request to a report.
struct Request {
  std::span<const std::size_t> columns;  ///< Indices.
  LayerView layers = {};                 ///< Layers of roll-ups.
  /// Groups of roll-ups that take more are kept in temporary files.
  std::size_t memory_bytes = std::size_t{64} << 20;
  /// For a comparison: the number of traces, the first ones, that are the base.
  std::size_t base_traces = 1;
  bool for_people = false;    ///< Unchanged or usual lines may be left out.
  bool lines_chosen = false;  ///< The user chooses among the lines: none is left out as minor.
  std::optional<double> limit_pct = {};  ///< For a comparison: a longer period is a failure.
};

class Report {
 public:
  explicit Report(ReportInfo info) : info_(std::move(info)) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  virtual ~Report() = default;

  [[nodiscard]] const ReportInfo& info() const { return info_; }

  /// Writes rows with the cells of the requested columns. Returns early, with ok, when the sink
  /// wants no more.
  virtual Status run(const RowInput& input, const Request& request, RowSink& sink) const = 0;

 private:
  ReportInfo info_;
};

/// Indices of comma-separated column words; case and blanks do not matter. An unknown or empty word
/// is an error of `option` that names the nearest; so is a duplicate, which a JSON object cannot
/// hold.
Result<std::vector<std::size_t>> choose_columns(const ReportInfo& report, std::string_view words,
                                                std::string_view option = "-c");

/// The columns of `form` with these keys instead of the report's own.
std::vector<std::size_t> columns_by(const ReportInfo& report, Form form,
                                    std::span<const std::size_t> keys);

/// "idx,op": column words in the syntax of -c.
std::string column_words(const ReportInfo& report, std::span<const std::size_t> indices);

}  // namespace prof::reports
