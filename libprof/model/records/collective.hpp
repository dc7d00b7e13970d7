// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a library that communicates between GPUs states of one of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A call that a launch ran, as the library itself sees it: NCCL by its profiler plugin. A launch
/// of a group has several.
struct CollectiveRecord {
  Correlation correlation = 0;     ///< Of the launch.
  std::uint64_t communicator = 0;  ///< Equal on all ranks of the communicator.
  /// Of the call among those of its operation in the communicator, equal on all ranks; of a send or
  /// receive among the messages from the one rank to the other. Absent: unknown.
  std::optional<std::uint64_t> sequence;
  std::optional<std::uint32_t> rank, ranks;  ///< In the communicator.
  std::optional<std::uint32_t> peer;         ///< Of a send or receive, in the communicator.
  std::optional<std::uint32_t> root;
  StringId operation;                  ///< The library's word: "AllReduce".
  std::optional<std::uint64_t> bytes;  ///< Of the call's count, as in NCCL's payloads.
  StringId type;                       ///< Of an element, the library's word: "ncclBfloat16".
  StringId algorithm, protocol;        ///< "RING", "LL128".
  std::optional<std::uint32_t> channels;
  friend bool operator==(const CollectiveRecord&, const CollectiveRecord&) = default;
};

template <>
struct RecordKind<CollectiveRecord> {
  using R = CollectiveRecord;
  static constexpr std::string_view kWord = "collective";
  static constexpr void fields(auto&& v) {
    v("correlation", &R::correlation);
    v("communicator", &R::communicator);
    v("sequence", &R::sequence);
    v("rank", &R::rank);
    v("ranks", &R::ranks);
    v("peer", &R::peer);
    v("root", &R::root);
    v("operation", &R::operation);
    v("bytes", &R::bytes);
    v("type", &R::type);
    v("algorithm", &R::algorithm);
    v("protocol", &R::protocol);
    v("channels", &R::channels);
  }
  static constexpr TableText kTable = {
      .name = "collective",
      .doc =
          "Collectives, sends and receives, as the library states them. Empty where it states "
          "nothing.",
      .since = 4};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("correlation", &R::correlation, kCorrelationDoc));
    v(column::value("communicator", &R::communicator, "equal on all ranks of the communicator"));
    v(column::value("sequence", &R::sequence,
                    "of the call among those of its operation in the communicator, equal on all "
                    "ranks; of a send or receive among the messages between the two, each way; "
                    "NULL: unknown"));
    v(column::value("rank", &R::rank, "this one, in the communicator; NULL: unknown"));
    v(column::value("ranks", &R::ranks, "of the communicator; NULL: unknown"));
    v(column::value("peer", &R::peer, "of a send or receive, in the communicator; NULL: none"));
    v(column::value("root", &R::root, "in the communicator; NULL: none"));
    v(column::value("operation_id", &R::operation,
                    "string.id of the library's word, \"AllReduce\""));
    v(column::value("bytes", &R::bytes, "of the call's count; NULL: unknown"));
    v(column::value("type_id", &R::type, "string.id of the elements' type, 0: unknown"));
    v(column::value("algorithm_id", &R::algorithm, "string.id, 0: unknown"));
    v(column::value("protocol_id", &R::protocol, "string.id, 0: unknown"));
    v(column::value("channels", &R::channels, "NULL: unknown"));
  }
};

}  // namespace prof
