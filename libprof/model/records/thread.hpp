// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

struct ThreadRecord {
  ThreadId id;
  std::uint32_t os_tid = 0;  ///< gettid(); Linux reuses it, the id never repeats.
  /// Number of earlier threads of this capture with the same os_tid.
  std::uint32_t generation = 0;
  StringId name;
  friend bool operator==(const ThreadRecord&, const ThreadRecord&) = default;
};

template <>
struct RecordKind<ThreadRecord> {
  using R = ThreadRecord;
  static constexpr std::string_view kWord = "thread";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("id", &R::id);
    v("os_tid", &R::os_tid);
    v("generation", &R::generation);
    v("name", &R::name);
  }
  static constexpr TableText kTable = {"thread", "Threads that made recorded calls."};
  static constexpr void columns(auto&& v) {
    v(column::key("id", &R::id, "unique, unlike os_tid"));
    v(column::process_id());
    v(column::value("os_tid", &R::os_tid, "gettid()"));
    v(column::value("generation", &R::generation,
                    "number of earlier threads of the trace with the same os_tid"));
    v(column::value("name_id", &R::name, "string.id, 0: no name"));
  }
};

}  // namespace prof
