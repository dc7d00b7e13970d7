// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/read_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "libprof/base/count_text.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof::reports {

KeySpan::KeySpan(TraceReader& trace, std::string_view table, std::string_view key) {
  const Result<SqliteDb*> db = trace.for_queries();
  if (!db || *db == nullptr) return;
  auto ends = (*db)->prepare(
      fmt::format("SELECT (SELECT min({0}) FROM {1}), (SELECT max({0}) FROM {1})", key, table));
  if (!ends || ends->step() != Statement::Step::kRow) return;
  first_ = ends->unsigned_integer(0);
  last_ = ends->unsigned_integer(1);
}

std::optional<double> KeySpan::part_before(std::uint64_t key) const {
  if (last_ <= first_) return std::nullopt;
  const std::uint64_t at = std::clamp(key, first_, last_);
  return static_cast<double>(at - first_) / static_cast<double>(last_ - first_);
}

void ReadProgress::update(std::size_t place, std::optional<double> part_of_trace) {
  std::optional<double> part;
  if (part_of_trace && begun_ <= traces_) {
    part = (static_cast<double>(place) + *part_of_trace) / static_cast<double>(traces_);
  }
  if (stage_) part = stage_->begin + (stage_->end - stage_->begin) * part.value_or(0);
  const std::lock_guard lock(mutex_);
  progress_.update(rows_, part);
}

void ReadProgress::tick() {
  const bool is_reading = rows_ != rows_at_tick_;
  rows_at_tick_ = rows_;
  if (is_reading) return;
  if (stage_) return progress_.update(rows_, stage_->begin);
  progress_.working(rows_ == 0 ? "running the statement"
                               : "working on " + count_text(rows_, "row", "rows"));
}

}  // namespace prof::reports
