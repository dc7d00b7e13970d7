// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/range_events.hpp"

#include <cstring>
#include <utility>

#include "libprof/model/range_ids.hpp"

namespace prof::collectors {
namespace {

RangeId new_range_id(Global& shared, ThreadState& thread) noexcept {
  if (thread.next_range == thread.last_range) {
    thread.next_range = shared.next_range_block.fetch_add(kRangeBlock, std::memory_order_relaxed);
    thread.last_range = thread.next_range + kRangeBlock;
  }
  return thread.next_range++;
}

void add_one(std::atomic<std::uint64_t>& own_counter) noexcept {
  own_counter.store(own_counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void publish(Global& shared, ThreadState& thread) noexcept {
  thread.ring.commit();
  if (thread.ring.over_half_full()) shared.wake();
}

void ring_full(Global& shared) noexcept {
  shared.losses.add(Loss::kRingFull);
  shared.wake();
}

/// Fills in an event, whose flags are set, and the text behind it.
template <typename Event>
void write_event(std::byte* room, Event& event, const char* text,
                 std::uint32_t text_bytes) noexcept {
  const std::uint16_t flags = event.header.flags;
  std::memcpy(&event.header, room, sizeof event.header);
  event.header.flags = flags;
  std::memcpy(room, &event, sizeof event);
  if (text_bytes != 0) std::memcpy(room + sizeof event, text, text_bytes);
}

/// Whether steps, which are ranges of the process, have begun or ended since this thread's last op.
bool begins_piece(const Global& shared, ThreadState& thread) noexcept {
  const std::uint32_t changes = shared.process_range_changes.load(std::memory_order_relaxed);
  return std::exchange(thread.process_range_changes, changes) != changes;
}

bool write_push(ThreadState& thread, const OpenRange& range, RangeId id, RangeId parent) noexcept {
  const std::uint32_t text_bytes = range.annotation.inline_bytes();
  std::byte* const room =
      thread.ring.reserve(EventKind::kPush, sizeof(PushEvent) + text_bytes, sizeof(PopEvent));
  if (room == nullptr) return false;
  PushEvent event{{}, id, parent, range.start_ns, range.annotation};
  write_event(room, event, thread.stack.text(range).data(), text_bytes);
  return true;
}

bool write_op(const Global& shared, ThreadState& thread, const OpenRange& range, RangeId id,
              RangeId parent) noexcept {
  const std::uint32_t bytes = range.annotation.text_bytes + range.op.bytes;
  std::byte* const room =
      thread.ring.reserve(EventKind::kOp, sizeof(OpEvent) + bytes, sizeof(PopEvent));
  if (room == nullptr) return false;
  OpEvent event{{}, id, parent, range.start_ns, range.annotation.text_bytes, range.op.bytes};
  event.header.flags = range.op.flags;
  if (begins_piece(shared, thread)) event.header.flags |= kOpBeginsPiece;
  // The text and the bytes are next to each other.
  write_event(room, event, thread.stack.text(range).data(), bytes);
  return true;
}

/// Writes a push event for an open range of the stack. Without room the range stays unrecorded and
/// transparent.
void write_open_range(Global& shared, ThreadState& thread, std::uint32_t index,
                      std::uint32_t epoch) noexcept {
  OpenRange& range = thread.stack.at(index);
  const RangeId parent = thread.stack.stack_id_below(index);
  const RangeId id = new_range_id(shared, thread);
  range.epoch = epoch;
  if (!(range.op.bytes == 0 ? write_push(thread, range, id, parent)
                            : write_op(shared, thread, range, id, parent))) {
    range.id = 0;
    range.stack_id = parent;
    ring_full(shared);
    return;
  }
  thread.ring.set_aside(sizeof(PopEvent));
  range.id = range.stack_id = id;
  publish(shared, thread);
}

/// Whether this thread's events may be written now.
bool recording(Global& shared, ThreadState& thread, std::uint32_t epoch) noexcept {
  return epoch != 0 && (thread.epoch == epoch || enter_epoch(shared, thread, epoch));
}

/// Whether backward work may refer to a range by the number in its text, as torch's emit_nvtx
/// writes it.
bool has_number(const ThreadState& thread, const OpenRange& range) noexcept {
  static constexpr std::string_view kSeq = ", seq = ";
  if (range.annotation.registered != nullptr) return false;
  const std::string_view text = thread.stack.text(range);
  return memmem(text.data(), text.size(), kSeq.data(), kSeq.size()) != nullptr;
}

/// Windows have to know the forward ops that ran before them.
void write_to_standby(Global& shared, ThreadState& thread) noexcept {
  const std::uint32_t standby = session_epoch();
  if (is_standby(standby) && recording(shared, thread, standby)) write_stack(thread, standby);
}

/// Opens a range with push(start_ns).
template <typename Push>
PushPopResult open_range(ThreadState& thread, std::uint32_t epoch, Push push) noexcept {
  Global& shared = global();
  const std::int64_t now = now_ns();
  // The text is already at scratch(), and neither entering an epoch nor a push changes that.
  const bool is_recording = recording(shared, thread, epoch);
  if (is_recording) recorded_stack(thread);
  const RangeStack::Pushed pushed = push(now);
  if (pushed.entry == nullptr) {
    shared.losses.add(pushed.why);
    return {pushed.level, 0};
  }
  if (is_recording) {
    write_open_range(shared, thread, thread.stack.depth() - 1, epoch);
  } else if (epoch != 0) {
    pushed.entry->epoch = epoch;  // Counted as ring_full if the epoch could not be entered.
  } else if (pushed.entry->pops_with == kOpsDomain || has_number(thread, *pushed.entry)) {
    write_to_standby(shared, thread);
  }
  return {pushed.level, pushed.entry->id};
}

/// The standby that the thread is part of; 0: none.
std::uint32_t standby_of(const ThreadState& thread) noexcept {
  return is_standby(thread.epoch) && thread.epoch == session_epoch() ? thread.epoch : 0;
}

}  // namespace

bool enter_epoch(Global& shared, ThreadState& thread, std::uint32_t epoch) noexcept {
  thread.ring.forget_aside();
  std::byte* room = thread.ring.reserve(EventKind::kEpoch, sizeof(EpochEvent));
  if (room == nullptr) {
    ring_full(shared);
    return false;
  }
  thread.epoch = epoch;
  // The session's ranges have ids of its own (CaptureRecord).
  thread.next_range = thread.last_range = 0;
  EpochEvent event{{}, epoch, thread.id};
  write_event(room, event, nullptr, 0);
  publish(shared, thread);
  if (is_standby(epoch)) return true;
  thread.stack.forget_moves();
  for (std::uint32_t index = 0; index < thread.stack.depth(); ++index) {
    // Binary payloads are not kept on the stack.
    if (thread.stack.at(index).annotation.has_blobs) shared.losses.add(Loss::kPayloadNotKept);
    write_open_range(shared, thread, index, epoch);
  }
  return true;
}

void record_moved(ThreadState& thread) noexcept {
  Global& shared = global();
  const std::uint32_t depth = thread.stack.depth();
  for (std::uint32_t index = thread.stack.first_moved(); index < depth; ++index) {
    OpenRange& range = thread.stack.at(index);
    range.stack_id = thread.stack.stack_id_below(index);
    if (range.epoch != thread.epoch || range.id == 0) continue;
    std::byte* room = thread.ring.reserve(EventKind::kAlias, sizeof(AliasEvent));
    if (room == nullptr) {
      ring_full(shared);
      continue;
    }
    AliasEvent event{{}, new_range_id(shared, thread), range.id, range.stack_id};
    range.stack_id = event.id;
    write_event(room, event, nullptr, 0);
    publish(shared, thread);
  }
  thread.stack.forget_moves();
}

PushPopResult push_range(ThreadState& thread, std::uint32_t epoch,
                         const Annotation& annotation) noexcept {
  return open_range(thread, epoch,
                    [&](std::int64_t now) { return thread.stack.push(annotation, now); });
}

void push_op(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation,
             OpOnStack op) noexcept {
  open_range(thread, epoch,
             [&](std::int64_t now) { return thread.stack.push_op(annotation, now, op); });
}

RangeId innermost_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept {
  if (!recording(global(), thread, epoch)) return 0;
  const OpenRange* range = thread.stack.innermost(domain);
  return range != nullptr && range->epoch == epoch ? range->id : 0;
}

PushPopResult pop_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept {
  Global& shared = global();
  const std::int64_t now = epoch == 0 ? 0 : now_ns();
  bool is_recording = recording(shared, thread, epoch);
  if (epoch == 0) {
    epoch = standby_of(thread);
    is_recording = epoch != 0;
  }
  const RangeStack::Popped popped = thread.stack.pop(domain);
  if (popped.level < 0) {
    shared.losses.add(Loss::kUnbalancedPop);
    return {};
  }
  if (!popped.kept) return {popped.level, 0};
  if (is_recording && popped.range.id != 0 && popped.range.epoch == epoch) {
    PopEvent event{{}, popped.range.id, now == 0 ? now_ns() : now};
    if (std::byte* room = thread.ring.reserve_from_aside(EventKind::kPop, sizeof event)) {
      write_event(room, event, nullptr, 0);
      publish(shared, thread);
    } else {
      ring_full(shared);
    }
  } else if (popped.range.epoch == 0) {
    add_one(thread.outside_capture);
  }
  return {popped.level, popped.range.id};
}

void write_stack(ThreadState& thread, std::uint32_t epoch) noexcept {
  Global& shared = global();
  recorded_stack(thread);
  for (std::uint32_t index = 0; index < thread.stack.depth(); ++index) {
    if (thread.stack.at(index).epoch != epoch) write_open_range(shared, thread, index, epoch);
  }
}

bool mark(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation) noexcept {
  if (epoch == 0) {
    add_one(thread.outside_capture);
    return false;
  }
  Global& shared = global();
  const std::int64_t now = now_ns();
  if (!recording(shared, thread, epoch)) return false;
  const RangeId stack = recorded_stack(thread);
  const std::uint32_t text_bytes = annotation.inline_bytes();
  std::byte* room = thread.ring.reserve(EventKind::kMark, sizeof(MarkEvent) + text_bytes);
  if (room == nullptr) {
    ring_full(shared);
    return false;
  }
  MarkEvent event{{}, stack, now, annotation};
  write_event(room, event, thread.stack.scratch(), text_bytes);
  publish(shared, thread);
  return true;
}

RangeId start_process_range(ThreadState& thread, const Annotation& annotation) noexcept {
  Global& shared = global();
  const SignalsBlocked quiet;  // Blocks signals once for all its locks.
  shared.process_range_changes.fetch_add(1, std::memory_order_relaxed);
  OpenProcessRange range;
  range.id = new_range_id(shared, thread);
  range.thread = thread.id;
  range.start_ns = now_ns();
  range.annotation = annotation;
  const RangeId id = range.id;
  try {
    if (annotation.registered == nullptr) {
      range.text.assign(thread.stack.scratch(), annotation.text_bytes);
    }
    if (!shared.objects.open_range(std::move(range))) shared.losses.add(Loss::kStackTooDeep);
  } catch (...) {
    shared.losses.add(Loss::kStackTooDeep);
  }
  return id;
}

void end_process_range(ThreadState& thread, std::uint32_t epoch, RangeId id) noexcept {
  Global& shared = global();
  const std::int64_t now = now_ns();
  const SignalsBlocked quiet;
  shared.process_range_changes.fetch_add(1, std::memory_order_relaxed);
  OpenProcessRange range;
  if (!shared.objects.close_range(id, range)) {
    shared.losses.add(Loss::kUnknownRangeEnd);
    return;
  }
  if (epoch == 0) {
    if (range.emitted_epoch == 0) add_one(thread.outside_capture);
    return;
  }
  if (!recording(shared, thread, epoch)) return;
  const std::uint32_t text_bytes = range.annotation.inline_bytes();
  std::byte* room = thread.ring.reserve(EventKind::kRange, sizeof(RangeEvent) + text_bytes);
  if (room == nullptr) {
    ring_full(shared);
    return;
  }
  RangeEvent event{{}, id, range.start_ns, now, range.thread, range.annotation};
  write_event(room, event, range.text.data(), text_bytes);
  publish(shared, thread);
}

std::byte* begin_blob(ThreadState& thread, std::uint32_t epoch, RangeId range, DomainId domain,
                      std::uint64_t schema, std::uint32_t bytes) noexcept {
  Global& shared = global();
  if (!recording(shared, thread, epoch)) return nullptr;
  std::byte* room = thread.ring.reserve(EventKind::kBlob, sizeof(BlobEvent) + bytes);
  if (room == nullptr) {
    ring_full(shared);
    return nullptr;
  }
  BlobEvent event{{}, range, schema, domain, bytes};
  write_event(room, event, nullptr, 0);
  return room + sizeof event;
}

}  // namespace prof::collectors
