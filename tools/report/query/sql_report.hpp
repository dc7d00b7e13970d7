// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that is one SQL file: comment lines that describe it, then a SELECT over the row tables
// (query/row_tables.hpp). docs/add_report.md explains the format of the comments.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/report/query/report.hpp"

namespace prof::reports {

class SqlReport : public Report {
 public:
  /// The texts must outlive the report.
  SqlReport(std::string_view name, std::string_view file);

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override;

  /// With the columns on request that are among `asked`, indices of the report's columns.
  [[nodiscard]] std::string sql(std::span<const std::size_t> asked) const;

 private:
  std::string_view sql_;
};

}  // namespace prof::reports
