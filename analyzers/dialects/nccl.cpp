// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL's own ranges, in its NVTX domain "NCCL": one for each API call, named after the function,
// with a payload (github.com/NVIDIA/nccl, src/collectives.cc, src/include/nvtx_payload_schemas.h;
// unchanged from 2.16 to 2.30 except as noted below). The payload's bytes are those of the
// function's count argument, which for some functions is one rank's part of the message. The number
// of ranks is stated once, when a communicator is created, and only since 2.26, where calls name
// their communicator. The outermost ncclGroupEnd launches the kernels of a group. The element type
// is not stated.
#include <algorithm>
#include <utility>

#include "analyzers/dialects/collective_call.hpp"
#include "analyzers/dialects/registry.hpp"

namespace prof::dialects {
namespace {

constexpr std::string_view kDomain = "NCCL";
constexpr std::string_view kCommunicatorField = "NCCL communicator ID";
constexpr std::string_view kRootField = "Root";
constexpr std::string_view kParent = "Parent NCCL communicator ID";
// The second is what ncclBroadcast, ncclSend and ncclRecv used up to 2.25.
constexpr std::string_view kByteFields[] = {"Message size [bytes]", "Bytes"};
constexpr std::string_view kRankFields[] = {"No. of ranks", "No. of devices"};

/// Multiples of the count's bytes that this rank reads and writes, and that the message has.
enum class Times : std::uint8_t { kNone, kOnce, kAllRanks, kUnknown };

struct Traffic {
  Times read, written;
};

struct Call {
  std::string_view function, word;
  Times message;
  Traffic root, other;  // of the root, if there is one, and of the other ranks
};

// NCCL's API reference defines the count: for AllGather what a rank sends, for ReduceScatter what
// it receives, for AlltoAll, Gather and Scatter what one peer gets.
constexpr Traffic kBoth{Times::kOnce, Times::kOnce};
constexpr Traffic kReads{Times::kOnce, Times::kNone};
constexpr Traffic kWrites{Times::kNone, Times::kOnce};
constexpr Traffic kGathers{Times::kOnce, Times::kAllRanks};
constexpr Traffic kScatters{Times::kAllRanks, Times::kOnce};
constexpr Traffic kExchanges{Times::kAllRanks, Times::kAllRanks};
// An in-place call writes nothing.
constexpr Traffic kBroadcasts{Times::kOnce, Times::kUnknown};

constexpr Call kCalls[] = {
    {"ncclAllReduce", "all_reduce", Times::kOnce, kBoth, kBoth},
    {"ncclAllGather", "all_gather", Times::kAllRanks, kGathers, kGathers},
    {"ncclReduceScatter", "reduce_scatter", Times::kAllRanks, kScatters, kScatters},
    {"ncclAlltoAll", "all_to_all", Times::kAllRanks, kExchanges, kExchanges},
    {"ncclBroadcast", "broadcast", Times::kOnce, kBroadcasts, kWrites},
    {"ncclReduce", "reduce", Times::kOnce, kBoth, kReads},
    {"ncclGather", "gather_ranks", Times::kAllRanks, kGathers, kReads},
    {"ncclScatter", "scatter_ranks", Times::kAllRanks, kScatters, kWrites},
    {"ncclSend", "send", Times::kOnce, kReads, kReads},
    {"ncclRecv", "recv", Times::kOnce, kWrites, kWrites},
};

using Number = ByteCount;

Number times(Number bytes, Times how, Number ranks) {
  std::int64_t result = 0;
  switch (how) {
    case Times::kNone:
      return 0;
    case Times::kOnce:
      return bytes;
    case Times::kAllRanks:
      if (!bytes || !ranks || __builtin_mul_overflow(*bytes, *ranks, &result)) return std::nullopt;
      return result;
    case Times::kUnknown:
      break;
  }
  return std::nullopt;
}

Number bytes_of(const RangePayload& payload) {
  for (const std::string_view field : kByteFields) {
    if (const Number bytes = payload.number(field)) return *bytes >= 0 ? bytes : std::nullopt;
  }
  return std::nullopt;
}

/// 0: it is still being created.
Number communicator_of(const RangePayload& payload) {
  const Number communicator = payload.number(kCommunicatorField);
  return communicator && *communicator != 0 ? communicator : std::nullopt;
}

/// This rank in its communicator. Nullopt also for a process that has several of them.
Number rank_of(const RangePayload& payload) {
  const Number communicator = communicator_of(payload);
  if (!communicator) return std::nullopt;
  return payload.fact({kCommunicatorField, "Rank", kParent}, *communicator);
}

/// A communicator that was split off states its parent's number of ranks.
Number ranks_of(const RangePayload& payload) {
  const Number communicator = communicator_of(payload);
  if (!communicator) return std::nullopt;
  for (const std::string_view field : kRankFields) {
    const Number ranks = payload.fact({kCommunicatorField, field, kParent}, *communicator);
    if (ranks && *ranks > 0) return ranks;
  }
  return std::nullopt;
}

/// The traffic of this rank. If it is unknown whether the rank is the root, because a process may
/// hold several ranks of a communicator, only the values on which both cases agree are known.
Traffic traffic_of(const Call& call, const RangePayload& payload) {
  const auto same = [](Times a, Times b) { return a == b ? a : Times::kUnknown; };
  const Number root = payload.number(kRootField);
  const Number rank = root ? rank_of(payload) : std::nullopt;
  if (rank) return *rank == *root ? call.root : call.other;
  return {same(call.root.read, call.other.read), same(call.root.written, call.other.written)};
}

LibraryCall join_group(std::span<const LibraryCall* const> calls) {
  return joined_calls(calls, "ncclGroupEnd");
}

class Nccl final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "nccl"; }

  [[nodiscard]] std::optional<RangeMeaning> parse(const RangeText& range) const override {
    if (range.domain != kDomain) return std::nullopt;
    if (range.text == "ncclGroupStart") return RangeMeaning{.what = BatchBegin{}};
    if (range.text == "ncclGroupEnd") return RangeMeaning{.what = BatchLaunch{join_group}};
    const auto* known = std::ranges::find(kCalls, range.text, &Call::function);
    if (known == std::end(kCalls)) return std::nullopt;
    OpDesc op;
    op.module = "nccl";
    op.op = known->word;
    if (range.payload != nullptr) {
      const Number bytes = bytes_of(*range.payload);
      const Number ranks = ranks_of(*range.payload);
      const Traffic traffic = traffic_of(*known, *range.payload);
      set_count(op, kBytesRead, times(bytes, traffic.read, ranks));
      set_count(op, kBytesWritten, times(bytes, traffic.written, ranks));
      set_count(op, kMessageBytes, times(bytes, known->message, ranks));
      set_count(op, kRanks, ranks);
      set_count(op, kCommunicator, communicator_of(*range.payload));
      set_count(op, kRank, rank_of(*range.payload));
      set_count(op, kPeer, range.payload->number("Peer rank"));
      set_count(op, kRoot, range.payload->number(kRootField));
    }
    return RangeMeaning{.what = library_call(known->function, std::move(op))};
  }
};

}  // namespace

void register_nccl(Registry& registry);
void register_nccl(Registry& registry) { registry.add(std::make_unique<Nccl>()); }

}  // namespace prof::dialects
