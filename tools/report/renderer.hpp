// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Renderer: turns a report's rows into bytes of one form. Knows cells and columns, no report. A row
// is printed when it comes; what must be kept to print it well (the table's sample) is bounded.
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

/// What a report writes its rows to.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// One cell for each column. False: nobody reads on, stop.
  virtual bool row(std::span<const Cell> cells) = 0;
  /// A row that sums up the others. Only forms for people print it.
  virtual void total(std::span<const Cell> cells) = 0;
};

/// begin, then rows, then totals, then end; each once but row and total.
class Renderer : public RowSink {
 public:
  virtual void begin(std::span<const Column> columns) = 0;
  /// Not complete: the report broke off. People get what there is; JSON stays open, so that no
  /// program takes it for the whole.
  virtual void end(bool complete) = 0;
};

enum class Form : std::uint8_t { kTable, kCsv, kJson };

struct RenderOptions {
  /// Tables: fit into so many columns, cutting long texts. Absent: nothing is cut.
  std::optional<std::size_t> width;
};

std::unique_ptr<Renderer> make_table_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_csv_renderer(tools::Output& output, const RenderOptions& options);
std::unique_ptr<Renderer> make_json_renderer(tools::Output& output, const RenderOptions& options);

/// A form's word for -f and what makes its renderer.
struct FormInfo {
  Form form;
  std::string_view word, help;
  std::unique_ptr<Renderer> (*make)(tools::Output&, const RenderOptions&);
};
std::span<const FormInfo> forms();

}  // namespace prof::reports
