// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Share: which rows of a table go to the trace of one process, as SQL. Each row of an export goes
// to one trace, a message of no process to all of them; what goes to none is counted in the first.
// One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/importer.hpp"

namespace prof::importers::nsys {

/// The kinds of tables. The kind decides where rows without a process go, and rows of a process
/// that gets no trace.
enum class RowKind : std::uint8_t {
  kEvents,  ///< Worth a trace. Rows of no process go to a trace of their own.
  /// Rows of no process go to the first trace. Those of a process without a trace are lost.
  kOfThreads,
  kOsCalls,      ///< Treated as kOfThreads, but worth a trace if no process has events.
  kThreadNames,  ///< Treated as kOfThreads, but rows of a process without a trace mean nothing.
  /// Rows of no process go to each trace. Those of a process without a trace go to the first.
  kMessages,
  kUnread,  ///< Rows of no process, or of one without a trace, go to the first trace.
};

/// The number of the machine and the process in a column with a packed number, 0 for NULL, as SQL.
std::string process_sql(std::string_view column);

/// The id of a file's only process: every event is its own, also those that name none.
inline constexpr std::uint64_t kAllRows = UINT64_MAX;

class Share {
 public:
  /// `all`: of the file, with `process`.
  Share(const Process& process, std::span<const Process> all);

  /// Whether rows of processes without a trace are lost().
  static constexpr bool loses(RowKind kind) {
    return kind == RowKind::kOfThreads || kind == RowKind::kOsCalls;
  }
  [[nodiscard]] bool is_first() const { return is_first_; }
  /// A condition; empty: all rows. `column` has the packed number; empty: the table has none.
  [[nodiscard]] std::string condition(RowKind kind, std::string_view column) const;
  /// The rows of processes that get no trace.
  [[nodiscard]] std::string lost(std::string_view column) const;

 private:
  [[nodiscard]] std::string key(std::string_view column) const;

  bool is_only_, is_first_;
  std::uint64_t own_;
  std::vector<std::uint64_t> others_;
};

}  // namespace prof::importers::nsys
