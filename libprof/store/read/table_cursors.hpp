// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceReader's cursors over single tables: scans in key order, each row joined with the small
// tables to which it refers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "libprof/store/read/row_cursor.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/read/trace_rows.hpp"
#include "libprof/store/read/trace_tables.hpp"

namespace prof {

std::unique_ptr<RowCursor<const ApiCallRow>> make_api_call_cursor(
    std::shared_ptr<TraceTables> tables);
std::unique_ptr<RowCursor<const RangeSpanRow>> make_range_cursor(
    std::shared_ptr<TraceTables> tables);
std::unique_ptr<RowCursor<const MarkRow>> make_mark_cursor(std::shared_ptr<TraceTables> tables);
std::unique_ptr<RowCursor<const SyncRow>> make_sync_cursor(std::shared_ptr<TraceTables> tables);
std::unique_ptr<RowCursor<const OverheadRow>> make_overhead_cursor(
    std::shared_ptr<TraceTables> tables);

std::unique_ptr<RowCursor<const StackPlaceRow>> make_stack_cursor(
    std::shared_ptr<TraceTables> tables,
    const std::function<std::uint32_t(const StackFormRow&)>& number);

}  // namespace prof
