// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceRows: what a store receives about one trace, or about the traces of a run together: rows of
// its tables, attributed by the analyzers. Knows no engine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/fleet/store/row_binary.hpp"
#include "tools/fleet/tables/fleet_table.hpp"

namespace prof::fleet {

/// The command line's statements about all traces.
struct RunWords {
  std::string run = {}, job = {}, commit = {};
  std::vector<std::string> labels = {};  ///< "KEY=VALUE", in order.
};

/// A row of `added`, without what its addition decides.
struct Subject {
  std::string id, run;
  bool is_run = false;
  std::uint32_t ranks = 1;
  std::optional<std::int64_t> rank = {}, world_size = {};
  std::string host = {}, gpu = {}, program = {}, file = {};
  std::uint32_t began = 0;
};

/// Rows of a table, which begin with the attempt that they are of.
struct TableRows {
  std::string bytes;
  std::vector<std::size_t> begins;  ///< The offset at which each row begins.

  void set_attempt(std::uint64_t attempt);
};

struct TraceRows {
  Subject subject;
  std::map<std::string_view, TableRows> tables;  ///< By name of table.
  std::uint64_t rows = 0;
};

/// 32 hexadecimal digits, of a file's bytes.
Result<std::string> content_id(const std::string& path);
/// The id of several traces together, in any order.
std::string joint_id(std::vector<std::string> ids);

/// Who the trace is. `id` is its content's.
Subject subject_of(const TraceMember& trace, std::string id, const RunWords& words);

/// The rows of all tables that are of a trace alone. They are of no attempt yet.
Result<TraceRows> rows_of_trace(const TraceSet& trace, Subject subject);

/// Receives rows of a table in blocks. An error ends the work.
using TakeRows = std::function<Status(const FleetTable& table, const TableRows& rows)>;

/// The rows of the tables that are of a run's traces together; returns how many there are.
Result<std::uint64_t> rows_of_run(const TraceSet& traces, const std::string& run,
                                  std::uint64_t attempt, const TakeRows& take);

}  // namespace prof::fleet
