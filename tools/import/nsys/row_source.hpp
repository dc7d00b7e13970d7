// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowSource: one table of an export, and what becomes of its rows. To import another table, add a
// RowSource to one of the lists below.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"
#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/nsys/json_payloads.hpp"
#include "tools/import/nsys/kernel_names.hpp"
#include "tools/import/nsys/messages.hpp"
#include "tools/import/nsys/share.hpp"
#include "tools/import/tables/findings.hpp"
#include "tools/import/tables/row_values.hpp"
#include "tools/import/tables/table_file.hpp"
#include "tools/import/tables/table_texts.hpp"

namespace prof::importers::nsys {

/// The objects that the import of one process works with.
struct Target {
  RecordSink& sink;
  TraceBuilder& builder;
  TableTexts& texts;
  Findings& findings;
  Messages& messages;
  JsonPayloads& payloads;
  KernelNames& kernel_names;
  std::map<std::int64_t, std::string> overheads = {};  ///< CUPTI's words, by number.
  /// NVTX domains without the default one, by nsys's number: whether they are defined so far.
  std::map<std::uint32_t, bool> domains = {};
  std::optional<std::uint32_t> mpi_rank = {};  ///< By the name of a thread: "MPI Rank 3".
  std::uint64_t taken = 0;                     ///< Events, of any kind.
};

struct RowSource {
  std::string_view table;
  std::string_view process;  ///< The column with the packed number of its process or thread.
  std::span<const std::string_view> columns;
  Status (*take)(TableRows& row, Target& target);
  RowKind kind = RowKind::kEvents;
};

/// nsys packs the numbers of machine, process and thread into one.
constexpr int kProcessBits = 24;
constexpr std::uint64_t process_of(std::int64_t packed) {
  return static_cast<std::uint64_t>(packed) >> kProcessBits;
}
constexpr std::uint32_t low_bits(std::uint64_t number) {
  return static_cast<std::uint32_t>(number & ((1U << kProcessBits) - 1));
}

/// Names the thread of a packed number. nsys names ranks of MPI in this way.
void name_thread(std::int64_t packed, std::string_view name, Target& target);

/// The thread in a column; of none if the column is NULL.
ThreadId thread_of(TableRows& row, std::size_t column, TraceBuilder& builder);

std::span<const RowSource> gpu_sources();
std::span<const RowSource> host_sources();
std::span<const RowSource> nvtx_sources();

}  // namespace prof::importers::nsys
