// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA calls as a row kind, in call order.
#include "tools/report/rows/api_calls.hpp"

#include "tools/report/rows/nested_rows.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/time_sums.hpp"

namespace prof::reports {
namespace {

Nesting nesting_of(const Row& row) {
  const ApiCallRow& call = static_cast<const ApiCall&>(row).record();
  return {.thread = call.thread.value,
          .depth = call.depth,
          .end_ns = sum_of_times(call.start_ns.value_or(0), call.duration_ns.value_or(0))};
}

// clang-format off
constexpr auto kApiCallsFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](ApiCall& r) { return number(r.idx()); }},
    {Column::text("api", "API", "runtime or driver"), [](ApiCall& r) { return text(r.record().domain == ApiRecord::Domain::kRuntime ? "runtime" : "driver"); }, Role::kKey},
    {Column::text("function", "Function", "CUDA function").cut_end(12), [](ApiCall& r) { return text(r.string(r.record().function)); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "duration of the call", 0).grouped().wide(9), [](ApiCall& r) { return microseconds(r.record().duration_ns); }, Role::kAlias},
    {Column::time("time_ns", "Time", "duration of the call").wide(9), [](ApiCall& r) { return nanoseconds(r.record().duration_ns); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace").drop(2), [](ApiCall& r) { return r.time(r.record().start_ns); }},
    {Column::integer("thread", "Thread", "", "calling thread, as numbered in the trace").drop(4), [](ApiCall& r) { return r.thread(r.record().thread); }, Role::kKey},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](ApiCall& r) { return r.os_tid(r.record().thread); }, Role::kKey},
    {Column::integer("depth", "Depth", "", "nesting depth; 0: called by the program, n: inside n other recorded calls").drop(6), [](ApiCall& r) { return number(r.record().depth); }, Role::kKey},
    {Column::integer("status", "Status", "", "cudaError_t or CUresult returned by the call").drop(3), [](ApiCall& r) { return signed_number(r.record().status); }, Role::kKey},
    {Column::integer("correlation", "Correlation", "", "links the row to its call in trace.db"), [](ApiCall& r) { return r.record().correlation != 0 ? number(r.record().correlation) : absent(); }},
    {Column::text("range", "Range", "text of the innermost range around the call").cut_end(12).drop(1), [](ApiCall& r) { return text(r.range_text(r.record().range)); }, Role::kKey},
    {Column::integer("range_id", "RangeId", "", "id of that range in trace.db"), [](ApiCall& r) { return r.record().range != 0 ? number(r.record().range) : absent(); }},
    {Column::integer("pid", "PId", "", "operating system id of the process"), [](ApiCall& r) { return r.threads().pid(r.record().thread); }, Role::kOnRequest},
    {Column::text("thread_name", "Thread name", "name of the calling thread").cut_end(12), [](ApiCall& r) { return r.threads().name(r.record().thread); }, Role::kOnRequest},
});
// clang-format on

}  // namespace

constinit const RowKind kApiCalls = {
    .names = {"API call", "API calls", "cuda_calls", "every CUDA call"},
    .fields = kApiCallsFields,
    .steps = Steps::kOfHost,
    .ranges = Ranges::kOfStack,
    .open = [](const RowInput& input) { return table_rows<ApiCall>(kApiCalls, input); },
    .sums = &kTimeSums,
    .nesting = nesting_of,
};

}  // namespace prof::reports
