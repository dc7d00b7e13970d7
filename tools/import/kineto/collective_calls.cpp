// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/collective_calls.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace prof::importers {
namespace {

constexpr std::string_view kCommsOp = "record_param_comms";

/// More than any job has, or a sign.
constexpr std::uint64_t kMostRanks = 1U << 24;

std::string_view word_of(const TraceEvent& event, std::string_view name) {
  const EventValue* const value = event.arg(name);
  return value != nullptr ? std::string_view(value->text) : std::string_view();
}

std::optional<std::uint32_t> rank_in(const TraceEvent& event, std::string_view name) {
  const auto number = event.number(name);
  return number && *number < kMostRanks ? std::optional(static_cast<std::uint32_t>(*number))
                                        : std::nullopt;
}

/// "[0, 1, 2, 3]", or a list. Empty, if it is not whole: of many ranks the middle is left out.
std::vector<std::uint32_t> list_of_ranks(const TraceEvent& event) {
  const EventValue* const value = event.arg("Process Group Ranks");
  std::vector<std::uint32_t> ranks;
  if (value == nullptr) return ranks;
  for (const EventValue& item : value->items) {
    const auto rank = item.whole();
    if (!rank || *rank >= kMostRanks) return {};
    ranks.push_back(static_cast<std::uint32_t>(*rank));
  }
  std::string_view text = value->text;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of("[], ");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    std::uint32_t rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error != std::errc() || rank >= kMostRanks) return {};
    ranks.push_back(rank);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return ranks;
}

/// Equal on all ranks of a group: groups are made in the same order everywhere, so their names
/// agree; those of a name with other ranks are others. FNV-1a.
std::uint64_t group_of(const TraceEvent& event) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash *= 0x100000001b3;
  };
  add(word_of(event, "Process Group Name"));
  add(word_of(event, "Process Group Ranks"));
  if (const EventValue* const ranks = event.arg("Process Group Ranks")) {
    for (const EventValue& item : ranks->items) add(item.text);
  }
  return hash >> 1;  // databases have signs
}

/// Meaning of the op's "Rank": in a call with a root it is the root, in a send or receive the peer.
/// For several calls that are launched together the meaning is not known.
enum class RankIs : std::uint8_t { kOwn, kRoot, kPeer, kUnknown };

RankIs rank_is(std::string_view operation) {
  if (operation == "coalesced" || operation.starts_with("batch")) return RankIs::kUnknown;
  if (operation == "send" || operation.starts_with("recv")) return RankIs::kPeer;
  constexpr std::string_view kRooted[] = {"broadcast",   "_broadcast_oop", "reduce",
                                          "_reduce_oop", "gather",         "scatter"};
  return std::ranges::find(kRooted, operation) != std::end(kRooted) ? RankIs::kRoot : RankIs::kOwn;
}

/// The other rank in the numbers of the job, to its place in the group.
std::optional<std::uint32_t> peer_of(const TraceEvent& event) {
  auto peer = rank_in(event, "Dst Rank");
  if (!peer) peer = rank_in(event, "Src Rank");
  if (!peer) return std::nullopt;
  const std::vector<std::uint32_t> ranks = list_of_ranks(event);
  const auto found = std::ranges::find(ranks, *peer);
  if (found == ranks.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - ranks.begin());
}

std::string_view operation_of(const TraceEvent& event) { return word_of(event, "Collective name"); }

/// Nullopt: it states no group.
std::optional<CollectiveRecord> record_of(const TraceEvent& event) {
  if (event.arg("Process Group Name") == nullptr || operation_of(event).empty()) {
    return std::nullopt;
  }
  CollectiveRecord made;
  made.communicator = group_of(event);
  made.ranks = rank_in(event, "Group size");
  const RankIs what = rank_is(operation_of(event));
  const auto rank = rank_in(event, "Rank");
  if (what == RankIs::kOwn) made.rank = rank;
  if (what == RankIs::kRoot) made.root = rank;
  if (what == RankIs::kPeer) made.peer = rank ? rank : peer_of(event);
  // Sends and receives of a rank are counted by themselves: the other one has other numbers.
  if (what != RankIs::kOwn && what != RankIs::kRoot) return made;
  const auto sequence = event.number("Seq");
  if (sequence && static_cast<std::int64_t>(*sequence) >= 0) made.sequence = *sequence;
  return made;
}

}  // namespace

void CollectiveCalls::take_op(const TraceEvent& op, std::uint64_t id) {
  if (id == 0 || op.name != kCommsOp) return;
  const std::optional<CollectiveRecord> record = record_of(op);
  if (!record) return;
  const auto [found, is_new] = numbers_.try_emplace(std::string(operation_of(op)),
                                                    static_cast<std::uint32_t>(operations_.size()));
  if (is_new) operations_.push_back(found->first);
  ops_.insert_or_assign(id, OfOp{*record, found->second});
}

std::optional<CollectiveCalls::Call> CollectiveCalls::call_of(const TraceEvent& kernel,
                                                              std::uint64_t op) const {
  if (const auto found = ops_.find(op); found != ops_.end()) {
    return Call{found->second.record, operations_[found->second.operation]};
  }
  const std::optional<CollectiveRecord> own = record_of(kernel);
  if (!own) return std::nullopt;
  return Call{*own, std::string(operation_of(kernel))};
}

}  // namespace prof::importers
