// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/call_log.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "libprof/base/varint.hpp"

namespace prof {
namespace {

// Differences modulo 2^64: times of a damaged trace may be as large as numbers get.
std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

std::int64_t at_distance(std::int64_t from, std::uint64_t distance) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + distance);
}

}  // namespace

void CallLog::add(const Call& call) {
  if (size_ != 0 && call.begin_ns < last_begin_ns_) in_order_ = false;
  pack(call);
}

void CallLog::pack(const Call& call) {
  if (size_ % kBlockCalls == 0) {
    if (!blocks_.empty()) blocks_.back().bytes.shrink_to_fit();
    blocks_.emplace_back();
    last_begin_ns_ = 0;
  }
  Block& block = blocks_.back();
  append_varint(block.bytes, distance(last_begin_ns_, call.begin_ns));
  append_varint(block.bytes, distance(call.begin_ns, call.end_ns));
  block.bytes.push_back(static_cast<char>(call.cause));
  block.last_end_ns = call.end_ns;
  last_begin_ns_ = call.begin_ns;
  ++size_;
  unpacked_ = SIZE_MAX;
}

void CallLog::finish() {
  if (in_order_) return;
  std::vector<Call> all;
  all.reserve(size_);
  for (std::size_t i = 0; i < size_; ++i) all.push_back((*this)[i]);
  std::ranges::stable_sort(all, {}, &Call::begin_ns);
  *this = {};
  for (const Call& call : all) pack(call);
}

/// Times follow each other, as a rule: the last answer, and the one behind it, are tried first.
std::size_t CallLog::first_ending_from(std::int64_t time_ns) const {
  const std::size_t block = block_ending_from(time_ns);
  if (block == blocks_.size()) return size_;
  const std::vector<Call>& calls = unpacked(block);
  const auto is_first = [&](std::size_t at) {
    return at < calls.size() && calls[at].end_ns >= time_ns &&
           (at == 0 || calls[at - 1].end_ns < time_ns);
  };
  if (is_first(found_ + 1)) ++found_;
  if (!is_first(found_)) {
    const auto call = std::ranges::lower_bound(calls, time_ns, {}, &Call::end_ns);
    found_ = static_cast<std::size_t>(call - calls.begin());
  }
  return block * kBlockCalls + found_;
}

std::size_t CallLog::block_ending_from(std::int64_t time_ns) const {
  const bool is_unpacked = unpacked_ < blocks_.size() &&
                           blocks_[unpacked_].last_end_ns >= time_ns &&
                           (unpacked_ == 0 || blocks_[unpacked_ - 1].last_end_ns < time_ns);
  if (is_unpacked) return unpacked_;
  const auto block = std::ranges::lower_bound(blocks_, time_ns, {}, &Block::last_end_ns);
  return static_cast<std::size_t>(block - blocks_.begin());
}

const CallLog::Call& CallLog::operator[](std::size_t index) const {
  return unpacked(index / kBlockCalls)[index % kBlockCalls];
}

const std::vector<CallLog::Call>& CallLog::unpacked(std::size_t block) const {
  if (block == unpacked_) return calls_;
  calls_.clear();
  std::string_view bytes = blocks_[block].bytes;
  std::int64_t begin_ns = 0;
  while (!bytes.empty()) {
    begin_ns = at_distance(begin_ns, *take_varint(bytes));
    const std::int64_t end_ns = at_distance(begin_ns, *take_varint(bytes));
    calls_.push_back({begin_ns, end_ns, static_cast<IdleCause>(bytes.front())});
    bytes.remove_prefix(1);
  }
  unpacked_ = block;
  return calls_;
}

}  // namespace prof
