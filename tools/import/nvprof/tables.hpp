// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a database that are read, and what their rows have in common. nvprof writes CUPTI's
// activity records as they are (cupti_activity.h), a table a kind and a column a field.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"
#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/nvprof/owner.hpp"
#include "tools/import/tables/findings.hpp"
#include "tools/import/tables/row_values.hpp"
#include "tools/import/tables/table_file.hpp"
#include "tools/import/tables/table_texts.hpp"

namespace prof::importers::nvprof {

inline constexpr std::string_view kRuntimeCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr std::string_view kDriverCalls = "CUPTI_ACTIVITY_KIND_DRIVER";
inline constexpr std::string_view kMarkers = "CUPTI_ACTIVITY_KIND_MARKER";
inline constexpr std::string_view kMarkerData = "CUPTI_ACTIVITY_KIND_MARKER_DATA";

/// The objects that the import of one process works with.
struct Target {
  RecordSink& sink;
  TraceBuilder& builder;
  TableTexts& texts;
  Findings& findings;
  const Owner& owner;
  std::map<std::int64_t, DomainId> domains = {};  ///< NVTX domains, by the number of their name.
};

/// A table that is read row by row.
struct RowSource {
  std::string_view table;
  std::span<const std::string_view> columns;
  Status (*take)(TableRows& row, Target& target);
};

std::span<const RowSource> gpu_sources();
std::span<const RowSource> host_sources();
/// Markers are read in pairs of their start and end.
Status read_markers(TableFile& file, Target& target);

/// All tables whose rows become records.
std::vector<std::string_view> read_tables();

/// CUPTI's unsigned 32-bit numbers, which nvprof writes as signed ones. Null: none, or no number.
std::optional<std::uint32_t> number_of(TableRows& row, std::size_t column);

/// CUpti_ActivityObjectKindId of a thread or a process.
struct ObjectId {
  std::uint32_t pid = 0;
  bool is_thread = false;
  std::uint32_t tid = 0;  ///< nvprof's number of the thread.
};
inline constexpr std::uint32_t kProcessObject = 1, kThreadObject = 2;
/// Null if it is an object of another kind, or damaged.
std::optional<ObjectId> object_of(TableRows& row, std::size_t kind, std::size_t id);

/// The text of a number in a column; empty: none. Null: it is missing. Valid until the next call.
std::optional<std::string_view> text_of(TableRows& row, std::size_t column, TableTexts& texts);

}  // namespace prof::importers::nvprof
