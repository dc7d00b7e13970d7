// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about the op that a range is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// Facts about the op that a range is, from a source that states them apart from a text, such as
/// another profiler's file. At most one for each opening. docs/op_facts.md.
struct OpFactRecord {
  RangeId range = 0;
  StringId signature;                     ///< JSON, equal for calls alike.
  std::optional<std::uint64_t> sequence;  ///< Autograd's sequence number, as emit_nvtx writes it.
  ThreadId forward_thread;  ///< Of a backward node: the thread that numbered its forward op.
  friend bool operator==(const OpFactRecord&, const OpFactRecord&) = default;
};

template <>
struct RecordKind<OpFactRecord> {
  using R = OpFactRecord;
  static constexpr std::string_view kWord = "op_fact";
  static constexpr void fields(auto&& v) {
    v("range", &R::range);
    v("signature", &R::signature);
    v("sequence", &R::sequence);
    v("forward_thread", &R::forward_thread);
  }
  static constexpr TableText kTable = {
      .name = "op_fact",
      .doc = "Facts about the ops that ranges are, stated apart from their texts.",
      .is_later = true};
  static constexpr void columns(auto&& v) {
    v(column::key("range_id", &R::range, "range.id"));
    v(column::value("signature_id", &R::signature,
                    "string.id of the op's signature: JSON, docs/op_facts.md"));
    v(column::value("seq", &R::sequence, "autograd's sequence number, NULL: none"));
    v(column::value("forward_thread_id", &R::forward_thread,
                    "thread.id of a backward node's forward op, 0: unknown"));
  }
};

}  // namespace prof
