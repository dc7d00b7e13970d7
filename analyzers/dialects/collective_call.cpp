// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/collective_call.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace prof::dialects {
namespace {

constexpr std::string_view kCallCount = "calls";

ByteCount get_count(const OpDesc& op, std::string_view key) {
  const auto found = op.attrs.find(key);
  if (found == op.attrs.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? std::nullopt : ByteCount(*value);
}

ByteCount sum_of_counts(ByteCount a, ByteCount b) {
  std::int64_t result = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &result)) return std::nullopt;
  return result;
}

}  // namespace

void set_count(OpDesc& op, std::string_view key, ByteCount value) {
  if (value) op.attrs.emplace(key, *value);
}

LibraryCall library_call(std::string_view function, OpDesc op) {
  return {std::make_shared<const OpDesc>(std::move(op)), std::string(function)};
}

LibraryCall joined_calls(std::span<const LibraryCall* const> calls, std::string_view launched_by) {
  const auto all_are = [&](auto&& is) {
    return std::ranges::all_of(calls, [&](const LibraryCall* one) { return is(one->op->op); });
  };
  const auto all_have = [&](std::string_view key, ByteCount value) {
    return std::ranges::all_of(
        calls, [&](const LibraryCall* one) { return get_count(*one->op, key) == value; });
  };
  const OpDesc& first = *calls.front()->op;
  OpDesc op;
  op.module = first.module;
  const bool same = all_are([&](const std::string& word) { return word == first.op; });
  const bool pairs =
      !same && all_are([](const std::string& word) { return word == "send" || word == "recv"; });
  op.op = same ? first.op : pairs ? "send_recv" : "nccl_group";
  ByteCount read = 0;
  ByteCount written = 0;
  ByteCount message = 0;
  for (const LibraryCall* one : calls) {
    read = sum_of_counts(read, get_count(*one->op, kBytesRead));
    written = sum_of_counts(written, get_count(*one->op, kBytesWritten));
    message = sum_of_counts(message, get_count(*one->op, kMessageBytes));
  }
  const auto set_common = [&](std::string_view key) {
    const ByteCount common = get_count(first, key);
    if (all_have(key, common)) set_count(op, key, common);
  };
  for (const std::string_view key : {kRanks, kCommunicator, kRank, kPeer, kRoot}) set_common(key);
  if (pairs) message = read && written ? ByteCount(std::max(*read, *written)) : std::nullopt;
  set_count(op, kBytesRead, read);
  set_count(op, kBytesWritten, written);
  if (same || pairs) set_count(op, kMessageBytes, message);
  const auto dtype = first.attrs.find("dtype");
  const bool is_typed =
      dtype != first.attrs.end() && std::ranges::all_of(calls, [&](const auto* one) {
        const auto other = one->op->attrs.find("dtype");
        return other != one->op->attrs.end() && other->second == dtype->second;
      });
  if (is_typed) op.attrs.insert(*dtype);
  set_count(op, kCallCount, static_cast<std::int64_t>(calls.size()));
  const std::string_view function = same ? std::string_view(calls.front()->function) : launched_by;
  return library_call(function, std::move(op));
}

}  // namespace prof::dialects
