// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of CUDA functions: tables. A row has the values of one call; repeated values are in a form.
// View api_call combines them.
#pragma once

#include <array>
#include <string_view>

#include "libprof/model/records.hpp"
#include "libprof/store/schema/launch_tables.hpp"
#include "libprof/store/schema/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kApiFunctionColumns = {
    Column{"id", kSqlKey, ""},
    Column{"domain", kSqlNumber, "0 runtime API, 1 driver API"},
    Column{"name_id", kSqlNumber, "string.id; without version suffix, \"cudaLaunchKernel\""},
};
inline constexpr Table kApiFunctionTable = {"api_function", "CUDA functions that were called.", kApiFunctionColumns};

inline constexpr std::array kApiFormColumns = {
    Column{"id", kSqlKey, ""},
    Column{"function_id", kSqlNumber, "api_function.id"},
    Column{"thread_id", kSqlNumber, "thread.id"},
    Column{"status", kSqlNumber, "as api_call.status"},
};
inline constexpr Table kApiFormTable = {.name = "api_form", .doc = "What calls have in common. Duplicate rows may occur.", .columns = kApiFormColumns};

inline constexpr std::array kApiRowColumns = {
    Column{"correlation", kSqlNumber, "as api_call.correlation"},
    Column{"depth", kSqlNumber, "as api_call.depth"},
    Column{"repeat", kSqlNumber, "as api_call.repeat"},
    Column{"form_id", kSqlNumber, "api_form.id"},
    Column{"start_ns", kSqlNumberOrNull, "ns since the start_ns of the correlation's launch_block; NULL: unknown"},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"range_id", kSqlNumber, "as api_call.range_id"},
};
inline constexpr Table kApiRowTable = {.name = "api_row", .doc = "Calls: what is a call's own. Read view api_call.", .columns = kApiRowColumns, .primary_key = "correlation, depth, repeat"};

inline constexpr std::array kApiCallColumns = {
    Column{"correlation", kSqlNumber, "grows in call order over all threads; nested calls share it; 0: none"},
    Column{"depth", kSqlNumber, "0: called by the program; n: inside n other recorded calls"},
    Column{"repeat", kSqlNumber, kRepeatDoc},
    Column{"function_id", kSqlNumber, "api_function.id"},
    Column{"thread_id", kSqlNumber, "thread.id"},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, kDurationDoc},
    Column{"range_id", kSqlNumber, "range.id: innermost open range of the thread over all domains, 0: none"},
    Column{"status", kSqlNumber, "the cudaError_t or CUresult returned"},
};
// clang-format on

inline constexpr std::string_view kApiCallSelect = R"sql(
  SELECT r.correlation, r.depth, r.repeat,
         (SELECT f.function_id FROM api_form f WHERE f.id = r.form_id) AS function_id,
         (SELECT f.thread_id FROM api_form f WHERE f.id = r.form_id) AS thread_id,
         (SELECT b.start_ns FROM launch_block b WHERE b.id = r.correlation >> 8) + r.start_ns
           AS start_ns,
         r.duration_ns, r.range_id,
         (SELECT f.status FROM api_form f WHERE f.id = r.form_id) AS status
  FROM api_row r)sql";
inline constexpr Table kApiCallTable = {
    .name = "api_call",
    .doc = "Calls of CUDA functions, as a view. Clustered by correlation, so in call order.",
    .columns = kApiCallColumns,
    .primary_key = "correlation, depth, repeat",
    .select = kApiCallSelect,
    .rows = kApiRowTable.name};

template <>
struct TablesOf<ApiRecord> {
  static constexpr std::array kTables = {kApiFunctionTable, kApiCallTable, kApiRowTable,
                                         kApiFormTable, kLaunchBlockTable};
};

}  // namespace prof::schema
