// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A communication library's description of one of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A call that a launch ran, as the library itself describes it (NCCL by its profiler plugin). A
/// launch of a group has several.
struct CollectiveRecord {
  Correlation correlation = 0;     ///< The launch's correlation.
  std::uint64_t communicator = 0;  ///< Equal on all ranks of the communicator.
  /// Number of the call among those of its operation in the communicator, equal on all ranks; for a
  /// send or receive, among the messages from the one rank to the other. Absent: unknown.
  std::optional<std::uint64_t> sequence;
  std::optional<std::uint32_t> rank, ranks;  ///< In the communicator.
  std::optional<std::uint32_t> peer;         ///< The other rank of a send or receive.
  std::optional<std::uint32_t> root;
  StringId operation;                  ///< The library's word: "AllReduce".
  std::optional<std::uint64_t> bytes;  ///< Size of the call's count, as in NCCL's payloads.
  StringId type;                       ///< Type of an element, the library's word: "ncclBfloat16".
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
