// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Every row kind as an SQL virtual table: one column per field, in declared order. Rows are
// streamed from the traces, and a cell is computed when the statement reads it. Absent is NULL;
// lists and objects are JSON text; numbers of 2^63 and above become the negative number with the
// same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "libprof/store/sqlite/virtual_table.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// The objects that `input` refers to must outlive the tables; its filter applies to each. Each
/// scan has its own tally, because a statement may scan twice; only the effect of the filters is
/// added up.
std::vector<std::shared_ptr<const VirtualTable>> row_tables(const RowInput& input);

/// Whether a statement has the table's name as a word.
bool names_table(std::string_view sql, std::string_view table);

/// Facts about the rows of the tables that a statement names.
struct TablesRead {
  std::vector<std::string_view> words;  ///< Columns, of any of the tables.
  bool has_steps = false, has_ranges = false;
  std::uint8_t reads_work = 0;  ///< As ReportInfo has them.
  bool reads_timeline = false;
};
TablesRead facts_of_tables(std::string_view sql);

}  // namespace prof::reports
