// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports about the rows of one kind: a line for each row, or for each group of them. Each is a
// line of row_reports.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tools/report/query/report.hpp"
#include "tools/report/rows/row_kind.hpp"

namespace prof::reports {

enum class RowForm : std::uint8_t {
  kList,    ///< Every row, in streaming order.
  kRollup,  ///< Rows with the same keys are summed up.
  kGroups,  ///< Rows are summed up by the keys of `sums`, whatever columns are shown.
};

struct RowReport {
  std::string_view name, help;
  const RowKind& kind;
  RowForm form = RowForm::kList;
  /// Columns of the table, in the syntax of -c: of a list fields, of a roll-up keys, by which its
  /// machine forms group, too, and sums.
  std::string_view table;
  bool has_step_lines = false;
  const SumKind* sums = nullptr;  ///< For kGroups.
  std::string_view missing{};     ///< The message if it has no line; empty: as of the row kind.
};

/// An unknown column is a bug in the report, which ends the program: any use of the registry finds
/// it.
std::unique_ptr<const Report> make_report(const RowReport& of);

}  // namespace prof::reports
