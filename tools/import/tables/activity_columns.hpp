// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Columns of CUPTI's activity records (cupti_activity.h), which nvprof and Nsight Systems both keep
// as they are. They differ in how 32-bit numbers are stored, in names, and in whose a row is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/records.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers {

/// How a file stores a 32-bit number. Null: none, or no number.
using ReadNumber = std::optional<std::uint32_t> (*)(TableRows& row, std::size_t column);

// Columns that all GPU work has come first.
enum WorkColumn : std::size_t {
  kStart,
  kEnd,
  kDevice,
  kContext,
  kStream,
  kCorrelation,
  kGraphNode,
  kGraph,
  kOwn,  // those of a table
};
inline constexpr std::array<std::string_view, kOwn> kWorkColumns = {
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "graphNodeId", "graphId"};

/// Launch parameters of a kernel, in consecutive columns. The numbers of launch types differ
/// between the two.
inline constexpr std::array<std::string_view, 14> kLaunchColumns = {"gridX",
                                                                    "gridY",
                                                                    "gridZ",
                                                                    "blockX",
                                                                    "blockY",
                                                                    "blockZ",
                                                                    "clusterX",
                                                                    "clusterY",
                                                                    "clusterZ",
                                                                    "registersPerThread",
                                                                    "staticSharedMemory",
                                                                    "dynamicSharedMemory",
                                                                    "localMemoryPerThread",
                                                                    "launchType"};

/// Columns of a wait. The names of the type and of the event differ between the two.
enum SyncColumn : std::size_t {
  kSyncContext = kEnd + 1,
  kSyncStream,
  kSyncCorrelation,
  kSyncType,
  kSyncEvent,
};

/// Lists of columns, one after the other.
template <std::size_t... counts>
constexpr auto joined(const std::array<std::string_view, counts>&... lists) {
  std::array<std::string_view, (counts + ...)> all = {};
  auto at = all.begin();
  ((at = std::ranges::copy(lists, at).out), ...);
  return all;
}
/// The columns of all work, and a table's own after them.
template <typename... Names>
constexpr auto work_columns(Names... names) {
  return joined(kWorkColumns, std::array<std::string_view, sizeof...(names)>{names...});
}

/// 0 where CUPTI has a number of all ones, which stands for none.
std::uint32_t id_or_none(TableRows& row, std::size_t column, ReadNumber number);

/// Device, context, stream, and the place in a graph. Its origin is not decided here.
void fill_place(TableRows& row, ReadNumber number, GpuWork& work);

/// All of kLaunchColumns but the last, of which the first is `launch`.
void fill_launch(TableRows& row, std::size_t launch, ReadNumber number, KernelRecord& record);

/// Context, stream, event and type.
void fill_sync(TableRows& row, ReadNumber number, SyncRecord& record);

}  // namespace prof::importers
