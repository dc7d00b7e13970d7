// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Renderer: prints a report's rows in one form. Knows cells and columns, but no report. Rows are
// printed as they come; what is buffered (the table's sample) is bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tools/common/output.hpp"
#include "tools/common/styles.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// Receives a report's rows.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// One cell per column. False: the reader is gone, stop.
  virtual bool row(std::span<const Cell> cells) = 0;
  /// A row with totals. Only forms for people print it.
  virtual void total(std::span<const Cell> cells) = 0;
};

/// begin, then rows, then totals, then end; each once but row and total.
class Renderer : public RowSink {
 public:
  virtual void begin(std::span<const Column> columns) = 0;
  /// Before the end: the report has no row, and why.
  virtual void no_rows(std::string_view /*why*/) {}
  /// Not complete: the report was interrupted. Tables show what there is; JSON stays unterminated,
  /// so that no program mistakes it for the whole.
  virtual void end(bool complete) = 0;
};

enum class Form : std::uint8_t { kTable, kMarkdown, kCsv, kJson, kJsonLines, kColumns };

/// Forms for people have a few columns, totals and notes.
constexpr bool is_for_people(Form form) { return form == Form::kTable || form == Form::kMarkdown; }
/// The columns' words are keys: each may occur once.
constexpr bool has_keys(Form form) {
  return form == Form::kJson || form == Form::kJsonLines || form == Form::kColumns;
}

/// Options of tables; the other forms are the same everywhere.
struct RenderOptions {
  /// Width of the terminal that the output is for: tables cut long texts and drop columns to fit.
  /// Absent: it is for no terminal, nothing is cut or dropped.
  std::optional<std::size_t> width = std::nullopt;
  bool keep_columns = false;  ///< The user chose the columns: drop none.
  tools::Styles styles = {};
};

std::unique_ptr<Renderer> make_table_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_markdown_renderer(tools::Output& output,
                                                 const RenderOptions& options);
std::unique_ptr<Renderer> make_csv_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_json_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_json_lines_renderer(tools::Output& output,
                                                   const RenderOptions& options);

/// A form's name for -f and its renderer's factory.
struct FormInfo {
  Form form;
  std::string_view word, help;
  std::string_view extension;  ///< Extension of the form's files.
  /// Null: reports are tables of a document (columns/columns_document.hpp), which makes it.
  std::unique_ptr<Renderer> (*make)(tools::Output&, const RenderOptions&);

  /// One file has several reports.
  [[nodiscard]] bool holds_several() const { return make == nullptr; }
};
std::span<const FormInfo> forms();

}  // namespace prof::reports
