// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/tables/row_values.hpp"

#include <algorithm>

namespace prof::importers {

std::optional<RowTimes> span_of(TableRows& row, std::size_t start, std::size_t end,
                                std::string_view table, Findings& findings) {
  const auto first = row.integer(start);
  const auto last = row.integer(end);
  if (!first || !last) {
    findings.damaged(table, "without a start or an end, left out");
    return std::nullopt;
  }
  if (*last < *first) {
    findings.damaged(table, "with an end before the start, left out");
    return std::nullopt;
  }
  return RowTimes{*first, *last};
}

Correlation correlation_of(TableRows& row, std::size_t column) {
  return static_cast<Correlation>(std::max<std::int64_t>(row.integer(column).value_or(0), 0));
}

}  // namespace prof::importers
