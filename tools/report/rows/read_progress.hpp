// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReadProgress: what of the traces has been read, whatever report or SQL reads it; KeySpan: where a
// row lies in its table.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "libprof/store/read/trace_reader.hpp"
#include "tools/common/progress.hpp"

namespace prof::reports {

/// Tables are stored in the order of a key, whose ends SQLite finds without reading the rows.
class KeySpan {
 public:
  KeySpan(TraceReader& trace, std::string_view table, std::string_view key);

  /// The part of the table that lies before the row with this key. Absent if the ends are unknown.
  [[nodiscard]] std::optional<double> part_before(std::uint64_t key) const;

 private:
  std::uint64_t first_ = 0, last_ = 0;
};

class ReadProgress {
 public:
  /// Every trace counts alike. `progress` must outlive it.
  ReadProgress(std::size_t traces, tools::Progress& progress)
      : traces_(traces), progress_(progress) {}

  /// Reading of a trace begins; returns its place for row(). If there are more places than traces,
  /// because several tables are read or one is read again, only the rows are counted.
  std::size_t begin() { return begun_++; }

  /// A row was read, by any thread. `part_before` gives which part of its trace lies before it, if
  /// this is known; it is seldom asked.
  template <typename PartBefore>
  void row(std::size_t place, const PartBefore& part_before) {
    if (++rows_ % kRowsBetween == 0) update(place, part_before());
  }
  void row(std::size_t place) {
    row(place, [] { return std::nullopt; });
  }

  /// Reading from now on is this part of the whole. Readings of traces begin anew.
  void stage(double begin, double end) {
    begun_ = 0;
    stage_ = Stage{begin, end};
  }

  /// SQLite is working: called about every 4096 of its steps.
  void tick();

 private:
  static constexpr std::uint64_t kRowsBetween = 4096;

  struct Stage {
    double begin = 0, end = 1;
  };

  void update(std::size_t place, std::optional<double> part_of_trace);

  std::size_t traces_;
  std::optional<Stage> stage_;  ///< Absent: what is read is the whole.
  tools::Progress& progress_;
  std::mutex mutex_;  // of progress_
  std::atomic<std::size_t> begun_ = 0;
  std::atomic<std::uint64_t> rows_ = 0;
  std::uint64_t rows_at_tick_ = 0;
};

}  // namespace prof::reports
