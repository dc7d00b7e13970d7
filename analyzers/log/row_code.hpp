// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How a row of a log (work_log.hpp) is written: its two numbers, and what differs from the row
// before it. Numbers grow slowly, or stay: most take a byte or two (base/varint.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzers/attributed_work.hpp"

namespace prof {

/// The values of a row that are in neither its attribution nor its form. Ids are those of the
/// trace.
struct RowValues {
  std::uint32_t attribution = 0, form = 0;

  Correlation correlation = 0, launch = 0;
  std::int64_t origin_id = 0, repeat = 0;
  std::uint64_t graph_node = 0;
  std::int64_t start_ns = 0, duration_ns = 0;
  RangeId stack = 0;
  std::int64_t launch_start_ns = 0, launch_duration_ns = 0;

  std::optional<std::int64_t> step, step_end_ns;
  std::uint64_t op_id = 0, replay_id = 0, call_id = 0;
  SequenceNumbers seq;

  /// The values of a row, except its two numbers.
  static RowValues of(const AttributedRow& row);
  /// Sets them in a row whose attribution and form are those of its numbers.
  void set(AttributedRow& row) const;
};

/// Appends `values` as they differ from `last`.
void append_row(const RowValues& values, const RowValues& last, std::string& to);

/// Reads what append_row() has written at `from`; returns where it ends. `values` are the last
/// ones, and become those of the row.
const char* take_row(const char* from, RowValues& values);

}  // namespace prof
