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
#include "tools/report/cell.hpp"

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
  /// Not complete: the report was interrupted. Tables show what there is; JSON stays unterminated,
  /// so that no program mistakes it for the whole.
  virtual void end(bool complete) = 0;
};

enum class Form : std::uint8_t { kTable, kCsv, kJson };
/// Has totals, notes and layers as people see them; the others are for programs.
constexpr bool is_for_people(Form form) { return form == Form::kTable; }

struct RenderOptions {
  /// Tables: fit into this many columns, cutting long texts. Absent: nothing is cut.
  std::optional<std::size_t> width;
};

std::unique_ptr<Renderer> make_table_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_csv_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_json_renderer(tools::Output& output, const RenderOptions& options);

/// A form's name for -f and its renderer's factory.
struct FormInfo {
  Form form;
  std::string_view word, help;
  std::string_view extension;  ///< Of files.
  std::unique_ptr<Renderer> (*make)(tools::Output&, const RenderOptions&);
};
std::span<const FormInfo> forms();

}  // namespace prof::reports
