// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Captures: the parts of a run that a trace holds, and the rules that assign rows to them. The only
// place with these rules. Times are relative to the trace's start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace prof {

/// A captured part of a run, see CaptureRecord.
struct CaptureRow {
  std::uint32_t number = 0;
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns;  ///< Absent: it has not ended.
  std::string opener, closer;
  std::uint64_t first_range = 0, end_range = 0;  ///< See CaptureRecord; 0: unknown.
};

class Captures {
 public:
  using Time = std::optional<std::int64_t>;

  /// Without rows the trace is one capture, of which no more is known.
  Captures() = default;
  explicit Captures(std::vector<CaptureRow> rows);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Ordered by start.
  [[nodiscard]] const std::vector<CaptureRow>& rows() const { return rows_; }
  /// The number of the last capture; 1 for the one capture of a trace without rows.
  [[nodiscard]] std::uint32_t last_number() const;
  [[nodiscard]] bool has(std::uint32_t number) const;
  /// Null: there is no capture with that number.
  [[nodiscard]] const CaptureRow* find(std::uint32_t number) const;

  /// The capture of a row that is recorded only while a capture lasts (work, calls, waits, marks):
  /// the last capture that began before it. Rows that seem to begin before the first capture belong
  /// to the first: clocks of GPUs are not exact. Absent: the trace has no rows, or the time is
  /// unknown.
  [[nodiscard]] std::optional<std::uint32_t> at(Time start_ns) const;
  /// The capture of a range, which may have begun long before: for a push/pop range, by its id, the
  /// one that recorded it; otherwise (`push_pop` 0) the last that overlaps it. For a range that
  /// never ended, the first. Absent: there is none, or as with at().
  [[nodiscard]] std::optional<std::uint32_t> of_range(Time start_ns, Time end_ns,
                                                      std::uint64_t push_pop = 0) const;

  /// Whether reports list a range. Ranges outside of all captures are in the trace only for graphs
  /// that were made in them.
  [[nodiscard]] bool lists_range(Time start_ns, Time end_ns, std::uint64_t push_pop = 0) const;
  /// The part of the time from `start_ns` to `end_ns` that lies in captures; without rows, all of
  /// it.
  [[nodiscard]] std::int64_t captured_ns(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  /// The first capture that has not ended before that time.
  [[nodiscard]] std::vector<CaptureRow>::const_iterator first_until(std::int64_t time_ns) const;

  std::vector<CaptureRow> rows_;
  std::vector<std::int64_t> latest_end_ns_;  // of each row and those before it
  std::unordered_map<std::uint32_t, std::size_t> by_number_;
};

}  // namespace prof
