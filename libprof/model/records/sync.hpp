// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronization.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A wait, from the call that waits; imported traces have the waits that CUPTI recorded.
struct SyncRecord {
  enum class Type : std::uint8_t { kUnknown, kEvent, kStreamWaitEvent, kStream, kContext };
  Correlation correlation = 0;
  Type type = Type::kUnknown;
  std::uint32_t context = 0, stream = 0, event = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const SyncRecord&, const SyncRecord&) = default;
};

template <>
struct EnumWords<SyncRecord::Type> {
  static constexpr std::array<std::string_view, 5> kWords = {
      "unknown", "event", "stream_wait_event", "stream", "context"};
};

template <>
struct RecordKind<SyncRecord> {
  using R = SyncRecord;
  static constexpr std::string_view kWord = "sync";
  static constexpr void fields(auto&& v) {
    v("correlation", &R::correlation);
    v("type", &R::type);
    v("context", &R::context);
    v("stream", &R::stream);
    v("event", &R::event);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
  }
  static constexpr TableText kTable = {
      "sync", "What the program or a stream waited for, as seen from the calls, or imported."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("correlation", &R::correlation, kCorrelationDoc));
    v(column::value("type", &R::type,
                    "0 unknown, 1 event, 2 stream waiting for an event, 3 stream, 4 context"));
    v(column::value("context", &R::context, "CUPTI's context id"));
    v(column::value("stream", &R::stream, "CUPTI's stream id; 0: none"));
    v(column::value("event", &R::event,
                    "CUPTI's event id; 0: unknown, as in all but imported traces"));
    v(column::time("start_ns", &R::start_ns));
    v(column::duration("duration_ns", &R::start_ns, &R::end_ns));
  }
};

}  // namespace prof
