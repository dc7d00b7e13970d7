// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that rows of all event tables have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "tools/import/tables/findings.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers {

struct RowTimes {
  std::int64_t start_ns = 0, end_ns = 0;
};
/// Null if the row cannot be taken, which is counted.
std::optional<RowTimes> span_of(TableRows& row, std::size_t start, std::size_t end,
                                std::string_view table, Findings& findings);

/// 0 if there is none.
Correlation correlation_of(TableRows& row, std::size_t column);

/// Calls `take` for each row. One with a value of an unexpected type is counted, unless `take` has
/// counted it as damaged.
template <typename Take>
Status take_rows(TableRows& rows, std::string_view table, Findings& findings, Take take) {
  while (rows.next()) {
    const std::uint64_t before = findings.damaged_rows();
    PROF_TRY(take(rows));
    if (rows.is_odd() && findings.damaged_rows() == before) {
      findings.damaged(table, "with a value of another type, read as unknown");
    }
  }
  return rows.status();
}

}  // namespace prof::importers
