// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of the operating system's library.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// One call of a function that may block: libc's, or the threads library's.
struct OsCallRecord {
  ThreadId thread;
  RangeId stack = 0;  ///< The innermost range that was open when it returned; 0: none.
  StringId function;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const OsCallRecord&, const OsCallRecord&) = default;
};

template <>
struct RecordKind<OsCallRecord> {
  using R = OsCallRecord;
  static constexpr std::string_view kWord = "os_call";
  static constexpr void fields(auto&& v) {
    v("thread", &R::thread);
    v("stack", &R::stack);
    v("function", &R::function);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
  }
  static constexpr TableText kTable = {
      .name = "os_call",
      .doc =
          "Calls of libc and the threads library that may block, if they lasted at least as long "
          "as meta os_calls says (prof-run --trace osrt)."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::value("range_id", &R::stack, "range.id of the innermost open range, 0: none"));
    v(column::value("name_id", &R::function, "string.id of the function's name"));
    v(column::time("start_ns", &R::start_ns));
    v(column::duration("duration_ns", &R::start_ns, &R::end_ns));
  }
};

}  // namespace prof
