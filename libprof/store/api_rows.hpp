// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of CUDA functions, whose names are interned: tables, and rows from records.
#pragma once

#include <array>
#include <cstdint>

#include "libprof/model/records.hpp"
#include "libprof/store/bounded_interner.hpp"
#include "libprof/store/row_writer.hpp"
#include "libprof/store/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kApiFunctionColumns = {
    Column{"id", kSqlKey, ""},
    Column{"domain", kSqlNumber, "0 runtime API, 1 driver API"},
    Column{"name_id", kSqlNumber, "string.id; without version suffix, \"cudaLaunchKernel\""},
};
inline constexpr Table kApiFunctionTable = {"api_function", "CUDA functions that were called.", kApiFunctionColumns};

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
inline constexpr Table kApiCallTable = {"api_call", "Calls of CUDA functions. Clustered by correlation, so in call order.", kApiCallColumns, "correlation, depth, repeat"};
// clang-format on

template <>
struct TablesOf<ApiRecord> {
  static constexpr std::array kTables = {kApiFunctionTable, kApiCallTable};
};

}  // namespace prof::schema

namespace prof {

class ApiRows {
 public:
  void store(RowWriter& rows, const ApiRecord& record);

 private:
  BoundedInterner<2> functions_{1 << 14};
  RowWriter::Repeat repeat_;
};

}  // namespace prof
