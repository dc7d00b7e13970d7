// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ColumnsDocument: reports, one after the other, as a document of compressed columns
// (docs/formats/columns.md). A report is written when it is complete; until then its columns are
// kept compressed.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "libprof/store/read/trace_set.hpp"
#include "tools/common/output.hpp"
#include "tools/report/query/report.hpp"
#include "tools/report/table/note_text.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// Facts about a table of the document.
struct TableFacts {
  std::string_view name;  ///< Unique for each side.
  const ReportInfo& report;
  std::span<const std::size_t> columns;  ///< Columns of the report; empty: those that it prints.
  std::string_view side{};               ///< The side of a comparison; empty: both.
};

class ColumnsDocument {
 public:
  ColumnsDocument(const TraceSet& traces, tools::Output& output);

  /// Prints a table. What the facts point to must outlive the renderer.
  std::unique_ptr<Renderer> table(const TableFacts& facts);
  /// After the last table. Without it, the document stays unterminated.
  void end(const Notes& notes);

 private:
  class TableRenderer;

  tools::Output& output_;
  bool has_table_ = false;
};

}  // namespace prof::reports
