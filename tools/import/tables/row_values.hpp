// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What rows of all tables of events have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/records.hpp"
#include "tools/import/tables/findings.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers {

struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};
/// Null if the row cannot be taken, which is counted.
std::optional<Span> span_of(TableRows& row, std::size_t start, std::size_t end,
                            std::string_view table, Findings& findings);

/// 0 if there is none.
Correlation correlation_of(TableRows& row, std::size_t column);

}  // namespace prof::importers
