// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/open_ranges.hpp"

#include <algorithm>
#include <utility>

namespace prof::collectors {
namespace {

/// An engine call has one node; more come from a program's own nesting.
constexpr std::size_t kMaxEnded = 64;

bool has_flag(const OpEvent& event, OpFlags flag) { return (event.header.flags & flag) != 0; }

}  // namespace

void OpenRanges::push(const RangeRecord& range, std::string_view numbers, RangeTaker& taker) {
  call(taker);
  Open& open = *open_.emplace_back(std::make_unique<Open>());
  open.record = range;
  open.numbers = numbers;
  thread_ = range.thread;
}

void OpenRanges::push_op(const RangeRecord& range, const OpEvent& event, std::string_view text,
                         std::string_view bytes, RangeTaker& taker) {
  if (has_flag(event, kOpBeginsPiece)) begin_piece(taker);
  Open& open = *open_.emplace_back(std::make_unique<Open>());
  open.record = range;
  open.op = {event, std::string(text), std::string(bytes)};
  open.is_needed = false;
  thread_ = range.thread;
  if (has_flag(event, kOpIsKept)) need_held(taker);
}

void OpenRanges::need_held(RangeTaker& taker) {
  const auto first =
      std::find_if(open_.rbegin(), open_.rend(), [](const auto& open) { return open->is_needed; });
  for (auto op = first.base(); op != open_.end(); ++op) keep_op(**op, taker);
}

void OpenRanges::keep_op(Open& op, RangeTaker& taker) {
  op.is_needed = true;
  op.record.op = taker.fact_of(op.op.event, op.op.text, op.op.bytes);
  for (Open& node : op.ended) {
    keep_op(node, taker);
    record_range(node, taker);
  }
  op.ended.clear();
}

std::size_t OpenRanges::find(RangeId id) const {
  if (!open_.empty() && open_.back()->record.id == id) return open_.size() - 1;
  const auto found =
      std::ranges::lower_bound(open_, id, {}, [](const auto& open) { return open->record.id; });
  const bool is_there = found != open_.end() && (*found)->record.id == id;
  return is_there ? static_cast<std::size_t>(found - open_.begin()) : open_.size();
}

void OpenRanges::pop(RangeId id, std::int64_t end_ns, RangeTaker& taker) {
  const std::size_t place = find(id);
  if (place == open_.size()) return;
  if (!open_[place]->is_needed && place + 1 == open_.size()) {
    const std::unique_ptr<Open> op = std::move(open_.back());
    open_.pop_back();
    return end_held(*op, end_ns, taker);
  }
  need(taker);
  if (place != 0) open_[place - 1]->has_more = true;
  open_[place]->record.end_ns = end_ns;
  record_range(*open_[place], taker);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
}

void OpenRanges::end_held(Open& op, std::int64_t end_ns, RangeTaker& taker) {
  op.record.end_ns = end_ns;
  Open* const around = open_.empty() ? nullptr : open_.back().get();
  if (around != nullptr) {
    around->inside_ns += end_ns - op.record.start_ns;
    ++around->inside;
    around->last_inside = op.record.text;
  }
  if (has_flag(op.op.event, kOpIsNode) && around != nullptr && around->op.event.id != 0) {
    if (around->is_needed) {
      keep_op(op, taker);
      return record_range(op, taker);
    }
    if (around->ended.size() < kMaxEnded) {
      around->ended.push_back(std::move(op));
      return;
    }
  }
  HostOps& counts = around == nullptr ? outermost_ : around->host_ops;
  count(op, counts);
  if (counts.is_full() && (around == nullptr || around->is_needed)) begin_piece(taker);
}

void OpenRanges::count(const Open& op, HostOps& to) {
  HostOpRecord ops;
  ops.name = op.record.text;
  ops.calls = 1;
  ops.total_ns = op.record.end_ns - op.record.start_ns;
  ops.self_ns = ops.total_ns - op.inside_ns;
  ops.start_ns = op.record.start_ns;
  to.add(ops);
  for (const Open& node : op.ended) count(node, to);
  to.add(op.host_ops);
  join_repeat(op, to);
}

void OpenRanges::join_repeat(const Open& op, HostOps& counted) {
  const bool is_repeat = op.inside == 1 && !op.has_more && op.last_inside == op.record.text;
  if (is_repeat) counted.join(op.record.text, op.inside_ns);
}

void OpenRanges::record_range(Open& range, RangeTaker& taker) {
  RangeRecord record = range.record;
  record.numbers = range.numbers;
  taker.take(record);
  range.recorded_aliases = 0;
  record_aliases(range, taker);
  if (range.record.end_ns != 0) join_repeat(range, range.host_ops);
  record_host_ops(range, taker);
}

void OpenRanges::record_aliases(Open& range, RangeTaker& taker) {
  RangeRecord record = range.record;
  record.numbers = range.numbers;
  record.kind = RangeRecord::Kind::kAlias;
  record.alias_of = range.record.id;
  record.op = {};
  for (; range.recorded_aliases < range.aliases.size(); ++range.recorded_aliases) {
    record.id = range.aliases[range.recorded_aliases].id;
    record.parent = range.aliases[range.recorded_aliases].parent;
    taker.take(record);
  }
}

void OpenRanges::record_host_ops(Open& range, RangeTaker& taker) {
  const RangeId id = range.aliases.empty() ? range.record.id : range.aliases.back().id;
  range.host_ops.record(id, range.record.thread, range.is_cut,
                        [&taker](const HostOpRecord& ops) { taker.take(ops); });
}

void OpenRanges::begin_piece(RangeTaker& taker) {
  outermost_.record(0, thread_, true, [&taker](const HostOpRecord& ops) { taker.take(ops); });
  for (const auto& open : open_) {
    if (!open->is_needed) break;
    open->is_cut = true;
    record_host_ops(*open, taker);
  }
}

void OpenRanges::alias(const AliasEvent& event, RangeTaker& taker) {
  need(taker);
  const std::size_t place = find(event.alias_of);
  if (place == open_.size()) return;
  Open& range = *open_[place];
  // Ops counted so far belong to the stack on which they ran.
  range.is_cut = true;
  record_host_ops(range, taker);
  range.aliases.push_back({event.id, event.parent});
}

void OpenRanges::record_open(RangeTaker& taker) {
  begin_piece(taker);
  for (const auto& open : open_) {
    if (!open->is_needed) break;
    std::exchange(open->is_recorded, true) ? record_aliases(*open, taker)
                                           : record_range(*open, taker);
  }
}

void OpenRanges::restart(RangeTaker& taker) {
  begin_piece(taker);
  for (const auto& open : open_) {
    if (!open->is_needed) break;
    open->record.end_ns = open->record.start_ns;
    record_range(*open, taker);
  }
  open_.clear();
}

std::uint64_t OpenRanges::finish(RangeTaker& taker) {
  need(taker);
  record_open(taker);
  return open_.size();
}

}  // namespace prof::collectors
