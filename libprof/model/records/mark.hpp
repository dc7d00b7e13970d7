// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX marks.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

struct MarkRecord {
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  RangeId parent = 0;
  StringId text;
  std::string_view numbers;  ///< As RangeRecord::numbers.
  std::uint32_t category = 0;
  std::uint32_t color_argb = 0;
  Payload payload;
  std::int64_t time_ns = 0;
  friend bool operator==(const MarkRecord&, const MarkRecord&) = default;
};

template <>
struct RecordKind<MarkRecord> {
  using R = MarkRecord;
  static constexpr std::string_view kWord = "mark";
  static constexpr void fields(auto&& v) {
    v("thread", &R::thread);
    v("domain", &R::domain);
    v("parent", &R::parent);
    v("text", &R::text);
    v("numbers", Numbers<&R::numbers>{});
    v("category", &R::category);
    v("color_argb", &R::color_argb);
    v("payload", &R::payload);
    v("time_ns", &R::time_ns);
  }
  static constexpr TableText kTable = {
      "mark",
      "NVTX marks, and samples of NVTX's counters: text_id is the name, payload the value."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::value("thread_id", &R::thread, "thread.id"));
    v(column::value("domain_id", &R::domain, "domain.id"));
    v(column::value("parent_id", &R::parent, "range.id of the innermost open range, 0: none"));
    v(column::value("text_id", &R::text, "as range.text_id"));
    v(column::bytes_or_null("numbers", &R::numbers, "as range.numbers"));
    v(column::time("time_ns", &R::time_ns));
    v(column::value("category", &R::category, "0: none"));
    v(column::value("color_argb", &R::color_argb, "0: none"));
    v(column::part("payload_type", &R::payload, &Payload::type, "as range.payload_type"));
    v(column::part("payload", &R::payload, &Payload::bits, "as range.payload"));
  }
};

}  // namespace prof
