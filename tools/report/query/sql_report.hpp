// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that is one SQL file: comment lines that describe it, then a SELECT over the row tables
// (query/row_tables.hpp). docs/add.md explains the format of the comments.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/report/query/report.hpp"

namespace prof::reports {

/// Constructed before the description that points into it.
struct SqlText {
  std::string text;
};

class SqlReport : private SqlText, public Report {
 public:
  /// The name must outlive the report.
  SqlReport(std::string_view name, std::string file);

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override;

  /// With the columns on request that are among `asked`, indices of the report's columns.
  [[nodiscard]] std::string sql(std::span<const std::size_t> asked) const;
};

}  // namespace prof::reports
