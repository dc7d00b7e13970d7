// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A loss of data during a capture.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A loss or inconsistency. Losses are data: counted, stored and reported.
struct LossRecord {
  std::string_view what;  ///< A word of model/losses.hpp.
  std::uint64_t count = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::string_view detail;  ///< One line for a person, may be empty.
  friend bool operator==(const LossRecord&, const LossRecord&) = default;
};

template <>
struct RecordKind<LossRecord> {
  using R = LossRecord;
  static constexpr std::string_view kWord = "loss";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("what", &R::what);
    v("count", &R::count);
    v("first_ns", &R::first_ns);
    v("last_ns", &R::last_ns);
    v("detail", &R::detail);
  }
  static constexpr TableText kTable = {
      "loss", "Counts of what was lost or inconsistent.", "what",
      "count=count+excluded.count,"
      "first_ns=ifnull(min(first_ns,excluded.first_ns),ifnull(first_ns,excluded.first_ns)),"
      "last_ns=ifnull(max(last_ns,excluded.last_ns),ifnull(last_ns,excluded.last_ns)),"
      "detail=CASE detail WHEN '' THEN excluded.detail ELSE detail END"};
  static constexpr void columns(auto&& v) {
    v(column::value("what", &R::what, "a word of libprof/model/losses.hpp", kSqlText));
    v(column::process_id());
    v(column::value("count", &R::count, "number of items"));
    v(column::time("first_ns", &R::first_ns));
    v(column::time("last_ns", &R::last_ns));
    v(column::value("detail", &R::detail, "the first detail reported, may be empty", kSqlText));
  }
};

}  // namespace prof
