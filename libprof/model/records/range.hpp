// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX ranges.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// One NVTX range, recorded when it ends; a range still open at a commit is also recorded then,
/// with end_ns 0, and again when it ends (same id, the later record wins).
struct RangeRecord {
  enum class Kind : std::uint8_t {
    kPushPop,
    kStartEnd,  ///< Belongs to the process, not to a thread's stack; never a parent.
    /// Another stack of the opening `alias_of`, after an out-of-order pop changed the stack below
    /// it.
    kAlias,
  };
  RangeId id = 0;
  RangeId parent = 0;  ///< The next outer range on the thread's stack over all domains, or 0.
  RangeId alias_of = 0;
  Kind kind = Kind::kPushPop;
  ThreadId thread;
  ThreadId end_thread;  ///< May differ from thread only for start/end ranges.
  DomainId domain = kDefaultDomain;
  StringId text;             ///< The whole text, or its template if `numbers` is not empty.
  std::string_view numbers;  ///< See source/text_template.hpp. Valid only during the call.
  std::uint32_t category = 0;
  std::uint32_t color_argb = 0;
  Payload payload;
  OpFact op;  ///< Present in each record of the opening; an alias has none.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< 0: still open, or never closed.
  friend bool operator==(const RangeRecord&, const RangeRecord&) = default;
};

template <>
struct EnumWords<RangeRecord::Kind> {
  static constexpr std::array<std::string_view, 3> kWords = {"push_pop", "start_end", "alias"};
};

template <>
struct RecordKind<RangeRecord> {
  using R = RangeRecord;
  static constexpr std::string_view kWord = "range";
  static constexpr Turn kTurn = Turn::kRange;
  static constexpr void fields(auto&& v) {
    v("id", &R::id);
    v("parent", &R::parent);
    v("alias_of", &R::alias_of);
    v("kind", &R::kind);
    v("thread", &R::thread);
    v("end_thread", &R::end_thread);
    v("domain", &R::domain);
    v("text", &R::text);
    v("numbers", Numbers<&R::numbers>{});
    v("category", &R::category);
    v("color_argb", &R::color_argb);
    v("payload", &R::payload);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
    v("op", &R::op);
  }
};

}  // namespace prof
