// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA calls as a row kind, in call order.
#pragma once

#include "tools/report/rows/field.hpp"
#include "tools/report/rows/nested_rows.hpp"
#include "tools/report/rows/table_row.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {

// clang-format off
inline constexpr auto kApiCallsFields = with_trace<TableRow<ApiCallRow>>({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1").drop(5), [](TableRow<ApiCallRow>& r) { return number(r.idx()); }},
    {Column::text("api", "API", "runtime or driver"), [](TableRow<ApiCallRow>& r) { return text(r.record().domain == ApiRecord::Domain::kRuntime ? "runtime" : "driver"); }, Role::kKey},
    {Column::text("function", "Function", "CUDA function").cut_end(12), [](TableRow<ApiCallRow>& r) { return text(r.string(r.record().function)); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration of the call", 0).grouped().wide(9), [](TableRow<ApiCallRow>& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::integer("time_ns", "Time", "ns", "duration of the call").grouped().wide(9), [](TableRow<ApiCallRow>& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::integer("start_ns", "Start", "ns", "start, since the start of the trace").grouped().drop(2), [](TableRow<ApiCallRow>& r) { return r.time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "calling thread, as numbered in the trace").drop(4), [](TableRow<ApiCallRow>& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](TableRow<ApiCallRow>& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::integer("depth", "Depth", "", "nesting depth; 0: called by the program, n: inside n other recorded calls").drop(6), [](TableRow<ApiCallRow>& r) { return number(r.record().depth); }, Role::kKey},
    {Column::integer("status", "Status", "", "cudaError_t or CUresult returned by the call").drop(3), [](TableRow<ApiCallRow>& r) { return signed_number(r.record().status); }, Role::kKey},
    {Column::integer("correlation", "Correlation", "", "links the row to its call in trace.db"), [](TableRow<ApiCallRow>& r) { return r.record().correlation != 0 ? number(r.record().correlation) : absent(); }},
    {Column::text("range", "Range", "text of the innermost range around the call").cut_end(12).drop(1), [](TableRow<ApiCallRow>& r) { return text(r.range_text(r.record().range)); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of that range in trace.db"), [](TableRow<ApiCallRow>& r) { return r.record().range != 0 ? number(r.record().range) : absent(); }},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](TableRow<ApiCallRow>& r) { return r.threads().pid(r.record().thread); }, Role::kOnRequest},
    {Column::text("thread_name", "Thread name", "name of the calling thread").cut_end(12), [](TableRow<ApiCallRow>& r) { return r.threads().name(r.record().thread); }, Role::kOnRequest},
});
// clang-format on

/// Calls of CUDA functions.
struct ApiCalls : TableKind<ApiCallRow> {
  static constexpr RowNames kNames = {"API call", "API calls", "cuda_calls"};
  static constexpr std::string_view kTable = "api_call";
  static constexpr std::string_view kKey = "correlation";
  static constexpr std::uint64_t key(const ApiCallRow& call, std::uint64_t) {
    return call.correlation;
  }
  static constexpr std::span<const Field<Row>> kFields = kApiCallsFields;
  using Sums = TimeSums;
  static constexpr std::span<const SumField<TimeSums>> kSums = kTimeSums;
  using Cursor = TableCursor<ApiCalls>;
  static Nesting nesting(const Row& row) {
    const ApiCallRow& call = row.record();
    return {.thread = call.thread.value,
            .depth = call.depth,
            .end_ns = sum_of_times(call.start_ns.value_or(0), call.duration_ns.value_or(0))};
  }
  static std::unique_ptr<RowCursor<ApiCallRow>> open(TraceReader& trace) {
    return trace.api_calls();
  }
};

}  // namespace prof::reports
