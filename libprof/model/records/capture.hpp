// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Captures of one run in one trace.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A part of the run that was captured. Recorded at its start, and again, complete, at its end.
struct CaptureRecord {
  std::uint32_t number = 0;  ///< Counts from 1, in time order.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< 0: has not ended (the program was killed, or still runs).
  std::string_view opener;  ///< The reason why it began: "step 10", "range decode", "signal".
  /// The reason why it ended: "end of step 12", "exit"; empty: it has not ended.
  std::string_view closer;
  /// Push/pop ranges that it recorded have ids from `first_range` on and below `end_range`.
  RangeId first_range = 0;
  RangeId end_range = 0;  ///< 0: has not ended.
  friend bool operator==(const CaptureRecord&, const CaptureRecord&) = default;
};

template <>
struct RecordKind<CaptureRecord> {
  using R = CaptureRecord;
  static constexpr std::string_view kWord = "capture";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("number", &R::number);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
    v("first_range", &R::first_range);
    v("end_range", &R::end_range);
    v("opener", &R::opener);
    v("closer", &R::closer);
  }
  static constexpr TableText kTable = {
      .name = "capture",
      .doc =
          "The parts of the run that were captured (prof-run --capture). Between them nothing was "
          "recorded but what later parts need: graphs, texts, names. No row: the trace is one "
          "capture."};
  static constexpr void columns(auto&& v) {
    v(column::key("capture", &R::number, "from 1, in time order"));
    v(column::process_id());
    v(column::time("start_ns", &R::start_ns));
    v(column::time("end_ns", &R::end_ns));
    v(column::value("first_range", &R::first_range,
                    "push/pop ranges that it recorded have ids from this one on"));
    v(column::value("end_range", &R::end_range, "and below this one; 0: it has not ended"));
    v(column::value("opener", &R::opener, "why it began: \"step 10\", \"signal\"", kSqlText));
    v(column::text_or_null("closer", &R::closer,
                           "why it ended; NULL: it was killed or is still running"));
  }
};

}  // namespace prof
