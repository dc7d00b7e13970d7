// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/forward_index.hpp"

#include <algorithm>
#include <utility>

#include "libprof/model/range_ids.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

/// A thread may be delayed between reserving a block and stamping its first range.
constexpr std::int64_t kBlockSlackNs = 200'000;

/// Ops that need no gradient do not increment the number, so any number of them may share one.
constexpr std::size_t kMaxCandidates = 4096;

constexpr std::size_t kFirstEntries = 1U << 10;
constexpr std::size_t kNumbers = 1U << 18;
constexpr std::size_t kOpIds = 1U << 16;
constexpr std::size_t kMaxForwardNodes = 1U << 12;
/// After an optimizer's step, older numbers are no longer needed; at least this many are kept, for
/// programs with several optimizers.
constexpr std::size_t kMinStepNumbers = 1U << 14;

}  // namespace

ForwardIndex::ForwardIndex(TraceReader& reader, RangeTexts& texts, std::size_t max_numbers)
    : reader_(reader),
      texts_(texts),
      max_numbers_(max_numbers),
      active_(reader.has_numbered_ranges()),
      last_by_number_(active_ ? kNumbers : 1) {
  if (!active_) return;
  entries_.resize(kFirstEntries);
  by_op_id_.resize(kOpIds);
  node_by_parent_.resize(kMaxForwardNodes);
  producers_.resize(kMaxForwardNodes);
}

void ForwardIndex::read_until(std::int64_t time_ns) {
  while (frontier_ns_ <= time_ns) {
    const RangeRef row = reader_.range_after(last_read_);
    if (!row) {
      frontier_ns_ = INT64_MAX;
      return;
    }
    if (range_block(row->id) != range_block(last_read_)) {
      frontier_ns_ = std::max(frontier_ns_, block_ns_);
      block_ns_ = difference_of_times(row->start_ns, kBlockSlackNs);
    }
    last_read_ = row->id;
    take(*row);
  }
}

void ForwardIndex::take(const RangeRow& range) {
  // An alias repeats the same opening.
  if (range.domain != kDefaultDomain || range.kind != RangeRecord::Kind::kPushPop) return;
  const dialects::RangeMeaning& meaning = texts_.parse(range).meaning;
  const dialects::GraphTies& ties = meaning.ties;
  if (const auto* node = meaning.as<BackwardNode>()) {
    Evaluated& of_thread = evaluated_[range.thread.value];
    if (node->accumulates) {
      producers_[range.id % kMaxForwardNodes] = {range.id, of_thread.last()};
    } else {
      of_thread.add(range);
    }
    if (range.parent != 0)
      node_by_parent_[range.parent % kMaxForwardNodes] = {range.parent, range.id};
  } else if (const auto* op = meaning.as<FrameworkOp>()) {
    std::uint64_t seq = 0;
    const bool is_numbered = texts_.find_sequence(range, ties, seq);
    if (is_numbered && seq != UINT64_MAX) {
      remember(seq,
               {range.id, range.start_ns, range.thread.value,
                static_cast<std::uint32_t>(ties.kinship), op->is_builtin, op->is_composite, 0});
    } else if (!is_numbered && op->op->direction == Direction::kUpdate &&
               next_ - young_ > kMinStepNumbers) {
      start_generation();
    }
  }
  std::uint64_t op_id = 0;
  if (texts_.find_number(range, ties.op_id_at, op_id)) {
    by_op_id_[op_id % kOpIds] = {op_id, range.id};
  }
}

void ForwardIndex::start_generation() {
  oldest_ = young_;
  young_ = next_;
}

void ForwardIndex::remember(std::uint64_t seq, const Entry& made) {
  if (next_ - young_ >= max_numbers_) start_generation();
  if (next_ - oldest_ == entries_.size()) grow();
  Entry& kept = entry(next_);
  kept = made;
  const std::uint64_t* last = last_by_number_.find(seq + 1);
  if (last != nullptr && *last >= oldest_) {
    kept.previous = static_cast<std::uint32_t>(next_ - *last);
  }
  last_by_number_.put(seq + 1, next_++);
}

void ForwardIndex::grow() {
  std::vector<Entry> larger(entries_.size() * 2);
  for (std::uint64_t at = oldest_; at < next_; ++at) {
    larger[at & (larger.size() - 1)] = entry(at);
  }
  entries_ = std::move(larger);
}

ForwardIndex::Found ForwardIndex::forward(std::uint64_t seq, const dialects::GraphTies& ties,
                                          std::int64_t before_ns,
                                          std::optional<std::uint32_t> thread) {
  if (seq == UINT64_MAX) return {};
  const Entry* kin = nullptr;
  const Entry* any = nullptr;
  bool kin_ambiguous = false;
  bool any_ambiguous = false;
  const auto consider = [&](const Entry& entry, const Entry*& best, bool& ambiguous) {
    if (thread && best != nullptr && (entry.thread == *thread) != (best->thread == *thread)) {
      if (best->thread == *thread) return;
      best = nullptr;
      ambiguous = false;
    }
    if (best != nullptr && best->thread != entry.thread) ambiguous = true;
    if (best == nullptr || entry.start_ns > best->start_ns) best = &entry;
  };
  const std::uint64_t* last = last_by_number_.find(seq + 1);
  std::uint64_t at = last == nullptr ? 0 : *last;
  for (std::size_t step = 0; at >= oldest_ && step < kMaxCandidates; ++step) {
    const Entry& candidate = entry(at);
    at = candidate.previous == 0 ? 0 : at - candidate.previous;
    if (candidate.start_ns >= before_ns) continue;
    if (candidate.may_make(ties.unnamed)) consider(candidate, any, any_ambiguous);
    if (candidate.kinship == static_cast<std::uint32_t>(ties.kinship)) {
      consider(candidate, kin, kin_ambiguous);
    }
  }
  if (kin != nullptr) return {kin->range, kin->thread, true, kin_ambiguous};
  if (any != nullptr) return {any->range, any->thread, false, any_ambiguous};
  return {};
}

RangeId ForwardIndex::with_op_id(std::uint64_t op_id) const {
  const Pair& pair = by_op_id_[op_id % kOpIds];
  return pair.key == op_id ? pair.range : 0;
}

void ForwardIndex::Evaluated::add(const RangeRow& range) {
  nodes[count++ % kNodes] = {range.id, range.start_ns, range.end_ns.value_or(INT64_MAX)};
}

const ForwardIndex::Evaluated::Node* ForwardIndex::Evaluated::find(RangeId range) const {
  for (std::uint64_t i = count; i > first(); --i) {
    if (at(i - 1).range == range) return &at(i - 1);
  }
  return nullptr;
}

bool ForwardIndex::Evaluated::ran_between(std::int64_t begin_ns, std::int64_t end_ns) const {
  for (std::uint64_t i = count; i > first(); --i) {
    const Node& node = at(i - 1);
    if (node.start_ns < end_ns && node.end_ns > begin_ns) return true;
  }
  return first() > 0 && at(first()).start_ns > begin_ns;
}

RangeId ForwardIndex::producer_of(const RangeRow& accumulating) const {
  const Pair& pair = producers_[accumulating.id % kMaxForwardNodes];
  if (pair.key != accumulating.id || pair.range == 0) return 0;
  if (evaluated_.size() == 1) return pair.range;
  const auto own = evaluated_.find(accumulating.thread.value);
  const Evaluated::Node* const producer =
      own == evaluated_.end() ? nullptr : own->second.find(pair.range);
  if (producer == nullptr) return 0;
  for (const auto& [thread, others] : evaluated_) {
    if (thread == accumulating.thread.value) continue;
    if (others.ran_between(producer->start_ns, accumulating.start_ns)) return 0;
  }
  return producer->range;
}

RangeId ForwardIndex::node_in(RangeId evaluate) const {
  const Pair& pair = node_by_parent_[evaluate % kMaxForwardNodes];
  return pair.key == evaluate ? pair.range : 0;
}

}  // namespace prof
