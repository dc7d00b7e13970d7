// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Activity of threads apart from NVTX: CUDA calls, overheads; names of threads, GPUs and the
// program.
#include <array>

#include "libprof/model/overhead_words.hpp"
#include "tools/import/nvprof/cuda_functions.hpp"
#include "tools/import/nvprof/tables.hpp"

namespace prof::importers::nvprof {
namespace {

constexpr std::string_view kOverheads = "CUPTI_ACTIVITY_KIND_OVERHEAD";
constexpr std::string_view kNames = "CUPTI_ACTIVITY_KIND_NAME";

enum Call : std::size_t {
  kCallStart,
  kCallEnd,
  kFunction,
  kCallProcess,
  kCallThread,
  kCallCorrelation,
  kResult
};
constexpr std::array<std::string_view, kResult + 1> kCallColumns = {
    "start", "end", "cbid", "processId", "threadId", "correlationId", "returnValue"};

struct Api {
  std::string_view table;
  Slice::Kind kind;
  std::string_view (*function)(std::uint32_t number);
};
constexpr Api kRuntime = {kRuntimeCalls, Slice::Kind::kRuntimeCall, runtime_function};
constexpr Api kDriver = {kDriverCalls, Slice::Kind::kDriverCall, driver_function};

template <const Api& kApi>
Status take_call(TableRows& row, Target& target) {
  const std::uint32_t pid = number_of(row, kCallProcess).value_or(0);
  if (!target.owner.owns_process(pid)) return {};
  const auto span = span_of(row, kCallStart, kCallEnd, kApi.table, target.findings);
  if (!span) return {};
  const auto thread = number_of(row, kCallThread);
  if (!thread) {
    target.findings.damaged(kApi.table, "without a thread, left out");
    return {};
  }
  Slice slice;
  slice.kind = kApi.kind;
  slice.start_ns = span->start_ns;
  slice.end_ns = span->end_ns;
  slice.thread = target.builder.thread(pid, *thread);
  const std::string_view function = kApi.function(number_of(row, kFunction).value_or(0));
  if (function.empty()) target.findings.damaged(kApi.table, "of an unknown function, kept");
  slice.name = target.builder.text(function);
  slice.correlation = number_of(row, kCallCorrelation).value_or(0);
  slice.status = static_cast<std::int32_t>(number_of(row, kResult).value_or(0));
  return target.builder.add(slice);
}

enum Overhead : std::size_t { kOverheadStart, kOverheadEnd, kOverheadKind, kBusyKind, kBusy };
constexpr std::array<std::string_view, kBusy + 1> kOverheadColumns = {
    "start", "end", "overheadKind", "objectKind", "objectId"};

Status take_overhead(TableRows& row, Target& target) {
  const auto object = object_of(row, kBusyKind, kBusy);
  if (object && !target.owner.owns_process(object->pid)) return {};
  if (!object && !target.owner.is_first()) return {};
  const auto span = span_of(row, kOverheadStart, kOverheadEnd, kOverheads, target.findings);
  if (!span) return {};
  OverheadRecord record;
  record.start_ns = span->start_ns;
  record.end_ns = span->end_ns;
  record.os_tid = object ? object->tid : 0;
  record.kind = target.builder.text(overhead_word(number_of(row, kOverheadKind).value_or(0)));
  return target.builder.add(record);
}

enum Name : std::size_t { kNamedKind, kNamed, kGivenName };
constexpr std::array<std::string_view, kGivenName + 1> kNameColumns = {"objectKind", "objectId",
                                                                       "name"};

/// The name of a process is the command that nvprof started.
Status take_name(TableRows& row, Target& target) {
  const auto object = object_of(row, kNamedKind, kNamed);
  if (!object) {
    target.findings.other_row("CUPTI_ACTIVITY_KIND_NAME of devices, contexts and streams");
    return {};
  }
  if (!target.owner.owns_process(object->pid)) return {};
  const auto name = text_of(row, kGivenName, target.texts);
  if (!name || name->empty()) {
    target.findings.damaged(kNames, "without the name that they give, left out");
  } else if (number_of(row, kNamedKind) == kThreadObject) {
    target.builder.name_thread(object->pid, object->tid, *name);
  } else {
    target.sink.on(MetaRecord{"command_line", *name});
  }
  return {};
}

constexpr std::array kHostSources = {
    RowSource{kNames, kNameColumns, take_name},
    RowSource{kRuntimeCalls, kCallColumns, take_call<kRuntime>},
    RowSource{kDriverCalls, kCallColumns, take_call<kDriver>},
    RowSource{kOverheads, kOverheadColumns, take_overhead},
};

}  // namespace

std::span<const RowSource> host_sources() { return kHostSources; }

}  // namespace prof::importers::nvprof
