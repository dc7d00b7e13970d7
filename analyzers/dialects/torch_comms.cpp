// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// torch/csrc/distributed/c10d/ParamCommsUtils.hpp: names of collectives and numbers of elements;
// ProcessGroupNCCL.cpp: what they count. Since torch 2.2.
#include "analyzers/dialects/torch_comms.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "analyzers/dialects/collective_call.hpp"

namespace prof::dialects {
namespace {

constexpr std::string_view kRange = "record_param_comms";
constexpr std::string_view kLaunch = "nccl:";
constexpr std::string_view kCollected = "nccl:coalesced";

/// The side of a call that is in this rank's memory, whatever its place in the group.
enum class Side : std::uint8_t { kBoth, kIn, kOut, kUnknown };

struct Communication {
  std::string_view name, word;
  Side side;
};

// In a call with a root, one side is only that of the root.
constexpr Communication kCommunications[] = {
    {"allreduce", "all_reduce", Side::kBoth},
    {"all_reduce", "all_reduce", Side::kBoth},
    {"allreduce_coalesced", "all_reduce", Side::kBoth},
    {"allreduce_sparse", "all_reduce", Side::kBoth},
    {"all_gather", "all_gather", Side::kBoth},
    {"allgather", "all_gather", Side::kBoth},
    {"_allgather_base", "all_gather", Side::kBoth},
    {"all_gather_into_tensor", "all_gather", Side::kBoth},
    {"allgather_into_tensor_coalesced", "all_gather", Side::kBoth},
    {"reduce_scatter", "reduce_scatter", Side::kBoth},
    {"_reduce_scatter_base", "reduce_scatter", Side::kBoth},
    {"reduce_scatter_tensor", "reduce_scatter", Side::kBoth},
    {"reduce_scatter_tensor_coalesced", "reduce_scatter", Side::kBoth},
    {"all_to_all", "all_to_all", Side::kBoth},
    {"all_to_allv", "all_to_all", Side::kBoth},
    {"all_to_all_single", "all_to_all", Side::kBoth},
    {"alltoall", "all_to_all", Side::kBoth},
    {"alltoall_base", "all_to_all", Side::kBoth},
    {"broadcast", "broadcast", Side::kUnknown},
    {"_broadcast_oop", "broadcast", Side::kUnknown},
    {"reduce", "reduce", Side::kUnknown},
    {"_reduce_oop", "reduce", Side::kUnknown},
    {"gather", "gather_ranks", Side::kUnknown},
    {"scatter", "scatter_ranks", Side::kUnknown},
    {"send", "send", Side::kIn},
    {"recv", "recv", Side::kOut},
    {"recvAnySource", "recv", Side::kOut},
    {"barrier", "barrier", Side::kUnknown},
};

std::optional<std::int64_t> count_at(const TorchCall& call, std::string_view key) {
  const auto found = call.facts.find(key);
  if (found == call.facts.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr || *number < 0 ? std::nullopt : std::optional(*number);
}

std::string_view word_at(const TorchCall& call, std::string_view key) {
  const auto found = call.facts.find(key);
  if (found == call.facts.end()) return {};
  const auto* word = std::get_if<std::string>(&found->second);
  return word == nullptr ? std::string_view() : *word;
}

ByteCount in_bytes(std::optional<std::int64_t> elements, DType dtype) {
  const auto size = size_bytes(dtype);
  std::int64_t bytes = 0;
  if (!elements || !size) return std::nullopt;
  if (__builtin_mul_overflow(*elements, static_cast<std::int64_t>(*size), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

LibraryCall join_collected(std::span<const LibraryCall* const> calls) {
  return joined_calls(calls, kCollected);
}

}  // namespace

std::optional<LibraryCall> communication_of(const TorchCall& call) {
  if (call.name != kRange) return std::nullopt;
  const auto* const known =
      std::ranges::find(kCommunications, word_at(call, "collective"), &Communication::name);
  if (known == std::end(kCommunications)) return std::nullopt;
  const DType dtype = parse_dtype(word_at(call, "dtype"));
  const auto elements_in = count_at(call, "elements_in");
  const ByteCount in = in_bytes(elements_in, dtype);
  const ByteCount out = in_bytes(count_at(call, "elements_out"), dtype);
  OpDesc op;
  op.module = "c10d";
  op.op = known->word;
  if (known->side == Side::kBoth || known->side == Side::kIn) set_count(op, kBytesRead, in);
  if (known->side == Side::kBoth || known->side == Side::kOut) set_count(op, kBytesWritten, out);
  if (known->side == Side::kIn) set_count(op, kBytesWritten, 0);
  if (known->side == Side::kOut) set_count(op, kBytesRead, 0);
  // The size in nccl-tests' terms: the larger side.
  if (in && out) set_count(op, kMessageBytes, std::max(*in, *out));
  set_count(op, kRanks, count_at(call, "ranks"));
  if (known->side == Side::kBoth) set_count(op, kElements, elements_in);
  if (dtype != DType::kUnknown) op.attrs.emplace("dtype", std::string(name(dtype)));
  return library_call(kRange, std::move(op));
}

bool is_launch_of_communication(std::string_view name) { return name.starts_with(kLaunch); }

JoinCalls join_of_collected(std::string_view name) {
  return name == kCollected ? join_collected : nullptr;
}

}  // namespace prof::dialects
