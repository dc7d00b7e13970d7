// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that did nothing but run on the host.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// Observed ops of one name that made no CUDA call, each without a range of its own. Several
/// records may be about the same range and name: their counts and times add up.
struct HostOpRecord {
  RangeId range = 0;  ///< The innermost recorded range around them; 0: none.
  ThreadId thread;
  StringId name;
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;   ///< Time without counted ops inside.
  std::int64_t start_ns = 0;  ///< Start of the first one; 0: anywhere in the range.
  friend bool operator==(const HostOpRecord&, const HostOpRecord&) = default;
};

template <>
struct RecordKind<HostOpRecord> {
  using R = HostOpRecord;
  static constexpr std::string_view kWord = "host_op";
  static constexpr void fields(auto&& v) {
    v("range", &R::range);
    v("thread", &R::thread);
    v("name", &R::name);
    v("calls", &R::calls);
    v("total_ns", &R::total_ns);
    v("self_ns", &R::self_ns);
    v("start_ns", &R::start_ns);
  }
  static constexpr TableText kTable = {
      .name = "host_op",
      .doc =
          "Observed ops that made no CUDA call: counts and times instead of a range each. Several "
          "rows may be about the same range and name."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::value("range_id", &R::range, "range.id of the innermost range around them, 0: none"));
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::value("name_id", &R::name, "string.id of the op's name"));
    v(column::value("calls", &R::calls, "how many"));
    v(column::value("total_ns", &R::total_ns, "ns, with all that is inside"));
    v(column::value("self_ns", &R::self_ns, "ns, without the ops inside"));
    v(column::Time<R>{{"start_ns", kSqlNumberOrNull,
                       "of the first, ns since the trace's start; NULL: at any time in the range"},
                      &R::start_ns});
  }
};

}  // namespace prof
