// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings: counts what of an export cannot be imported as it is, and says so. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/source/record_sink.hpp"

namespace prof::importers {

class Findings {
 public:
  /// A row that is left out, or kept without a value: "without a time, left out".
  void damaged(std::string_view table, std::string_view what) {
    ++damaged_[{table, what}];
    ++damaged_rows_;
  }
  /// The sum of all that damaged() counted.
  [[nodiscard]] std::uint64_t damaged_rows() const { return damaged_rows_; }
  /// Rows of a table of events that is not read.
  void other_table(std::string_view table, std::uint64_t rows) {
    others_[std::string(table)] = rows;
  }
  /// A row of a kind that is not read, of a table that is.
  void other_row(std::string_view kind) { ++others_[std::string(kind)]; }
  /// A table of events whose place a view or a virtual table has.
  void no_table(std::string_view name) { no_tables_.emplace(name, 1); }
  /// Rows of processes that get no trace.
  void other_process(std::string_view table, std::uint64_t rows) {
    of_other_processes_[std::string(table)] = rows;
  }
  /// An NVTX event of a kind that is not kept.
  void other_nvtx(std::int64_t type) { ++nvtx_types_[type]; }
  /// An NVTX event with a payload of the extension, or as JSON.
  void payload() { ++payloads_; }
  /// A launch of a graph that is recorded as a whole.
  void whole_graph() { ++graphs_; }

  /// "1 row of NVTX_EVENTS without a time, left out; 2 rows of ...".
  [[nodiscard]] std::string damage() const;
  /// "CUPTI_ACTIVITY_KIND_KERNEL is not a plain table, so it is not read", or empty.
  [[nodiscard]] std::string unread() const;
  /// A warning for the user to see now, or empty.
  [[nodiscard]] std::string warning() const;
  void report(RecordSink& sink) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> damaged_;  // static texts
  std::uint64_t damaged_rows_ = 0;
  std::map<std::string, std::uint64_t> others_;
  std::map<std::string, std::uint64_t> no_tables_;
  std::map<std::string, std::uint64_t> of_other_processes_;
  std::map<std::int64_t, std::uint64_t> nvtx_types_;
  std::uint64_t payloads_ = 0;
  std::uint64_t graphs_ = 0;
};

}  // namespace prof::importers
