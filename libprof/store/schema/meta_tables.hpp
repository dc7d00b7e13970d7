// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about the capture, its process, and texts: tables.
#pragma once

#include <array>

#include "libprof/model/records.hpp"
#include "libprof/store/schema/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kMetaColumns = {
    Column{"key", kSqlText, "see \"Keys of meta\""},
    Column{"value", kSqlTextOrNull, ""},
};
inline constexpr Table kMetaTable = {"meta", "Facts about the whole capture.", kMetaColumns, "key", Conflict::kReplace};

inline constexpr std::array kStringColumns = {
    Column{"id", kSqlKey, "other tables point here by columns named *_id"},
    Column{"text", kSqlText, "as the program passed it, any bytes; a range's template has char(1) in place of each number"},
};
inline constexpr Table kStringTable = {"string", "Texts, each once.", kStringColumns, "", Conflict::kReplace};

inline constexpr std::array kProcessColumns = {
    Column{"id", kSqlKey, "always 1: a trace has one process"},
    Column{"pid", kSqlNumberOrNull, "the operating system's process id"},
    Column{"executable", kSqlTextOrNull, "path of the program"},
    Column{"command_line", kSqlTextOrNull, "arguments, quoted for a shell"},
};
inline constexpr Table kProcessTable = {"process", "The captured process. Every row of the trace belongs to it, through thread_id, queue_id or process_id.", kProcessColumns};
// clang-format on

template <>
struct TablesOf<MetaRecord> {
  static constexpr std::array kTables = {kMetaTable, kStringTable, kProcessTable};
};

template <>
struct TablesOf<StringRecord> {
  static constexpr std::array<Table, 0> kTables = {};  // above
};

}  // namespace prof::schema
