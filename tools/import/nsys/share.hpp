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

/// What rows of a table are, and with it where those of no process go, and those of a process that
/// gets no trace.
enum class RowKind : std::uint8_t {
  kEvents,       ///< Worth a trace; of no process: in a trace of their own.
  kOfThreads,    ///< Of no process: in the first trace. Of a process without a trace: lost.
  kOsCalls,      ///< The same, and worth a trace if no process has events.
  kThreadNames,  ///< As kOfThreads, but of a process without a trace they mean nothing.
  kMessages,     ///< Of no process: in each trace. Of a process without a trace: in the first.
  kUnread,       ///< Of no process, or of one without a trace: in the first.
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
