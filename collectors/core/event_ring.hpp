// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A ring of events of various lengths between one producer (the thread that owns it) and one
// consumer (the recorder's worker). Events are contiguous, 8-byte aligned and begin with an
// EventHeader; the end of the ring is padded where an event would not fit before it.
//
// The producer can set bytes aside: a written push sets room aside for its pop, so that a range
// whose start is in the ring can always be ended, however full the ring is.
//
// A ring begins small, in memory of its owner, which must outlive it. When it is half full it
// continues in a larger segment, up to a limit; the consumer reads the rest of the previous segment
// and releases it. Positions continue, and only the two ends' own copies of a segment's location
// change, so a ring that no longer grows costs no more than a fixed one. Threads: see each method.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "libprof/base/debug_check.hpp"

namespace prof::collectors {

enum class EventKind : std::uint16_t {
  kPadding,
  kEpoch,
  kPush,
  kOp,
  kPop,
  kAlias,
  kRange,
  kMark,
  kBlob,
  kApi,
};

struct EventHeader {
  std::uint32_t bytes;  ///< Size of the whole event, a multiple of 8.
  EventKind kind;
  std::uint16_t flags;
};

class EventRing {
 public:
  static constexpr std::uint32_t kAlignment = 8;

  /// To be called before any use; `capacity` is a power of two, `memory` 8-byte aligned and of that
  /// size.
  void attach(std::byte* memory, std::uint32_t capacity) noexcept {
    PROF_DEBUG_CHECK(std::has_single_bit(capacity));
    limit_ = capacity;
    start_with(memory, capacity);
  }
  /// Producer. Sets the size up to which the ring may grow, a power of two.
  void set_limit(std::uint32_t limit) noexcept { limit_ = limit; }
  /// Producer. Size of the segment that is written.
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }

  /// Producer. Room for one event of `bytes` (header included), its header filled in; nullptr if
  /// that and the room set aside do not fit. `spare` is room the caller will set aside in addition.
  /// The consumer sees nothing before commit().
  std::byte* reserve(EventKind kind, std::size_t bytes, std::uint32_t spare = 0) noexcept {
    return reserve_with(kind, bytes, aside_ == 0 && spare == 0 ? 0 : aside_ + spare + kSlack);
  }
  /// Producer. Like reserve(), for an event whose room was set aside; cannot fail.
  std::byte* reserve_from_aside(EventKind kind, std::uint32_t bytes) noexcept {
    aside_ = aside_ > bytes ? aside_ - bytes : 0;
    return reserve_with(kind, bytes, 0);
  }
  void set_aside(std::uint32_t bytes) noexcept { aside_ += bytes; }
  void forget_aside() noexcept { aside_ = 0; }

  /// Producer. Publishes the event of the last reserve(). At most one reservation is open at a
  /// time.
  void commit() noexcept {
    PROF_DEBUG_CHECK(pending_ > head_.load(std::memory_order_relaxed));
    head_.store(pending_, std::memory_order_release);
  }

  /// Producer. Whether more than half is in use and it cannot grow; reads the consumer's end only
  /// if more than half may be in use.
  [[nodiscard]] bool over_half_full() noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - seen_tail_ <= capacity_ / 2) return false;
    look_at_tail();
    return head - seen_tail_ > capacity_ / 2 && !grow(0);
  }

  /// Consumer. The oldest event, or nullptr; valid until pop(). Its bytes are in the ring: if the
  /// header says otherwise, everything up to the newest event is skipped and take_damaged() reports
  /// it.
  [[nodiscard]] const EventHeader* front() noexcept {
    for (;;) {
      const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
      if (tail == seen_head_) {
        seen_head_ = head_.load(std::memory_order_acquire);
        if (tail == seen_head_) return nullptr;
        look_for_end();
      }
      while (tail == read_end_) [[unlikely]] read_next_segment();
      const std::uint64_t offset = tail & (read_capacity_ - 1);
      const auto* event = reinterpret_cast<const EventHeader*>(read_memory_ + offset);
      if (event->bytes < sizeof(EventHeader) || event->bytes % kAlignment != 0 ||
          event->bytes > seen_head_ - tail || event->bytes > read_end_ - tail ||
          event->bytes > read_capacity_ - offset) [[unlikely]] {
        skip_damaged();
        return nullptr;
      }
      if (event->kind != EventKind::kPadding) return event;
      tail_.store(tail + event->bytes, std::memory_order_release);
    }
  }
  /// Consumer. Whether front() skipped anything since the last call.
  [[nodiscard]] bool take_damaged() noexcept { return std::exchange(is_damaged_, false); }
  /// Consumer. Frees the oldest event's room.
  void pop() noexcept {
    PROF_DEBUG_CHECK(used() != 0);
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const auto* event =
        reinterpret_cast<const EventHeader*>(read_memory_ + (tail & (read_capacity_ - 1)));
    tail_.store(tail + event->bytes, std::memory_order_release);
  }

  /// Either side. Bytes in use: possibly stale, and for the producer never too low.
  [[nodiscard]] std::uint64_t used() const noexcept {
    return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
  }
  /// Bytes ever published.
  [[nodiscard]] std::uint64_t written() const noexcept {
    return head_.load(std::memory_order_acquire);
  }

  /// Empties the ring and makes it small again. Only while neither side is in use.
  void reset() noexcept;

 private:
  /// The most that padding at the end can cost the events for which room was set aside.
  static constexpr std::uint32_t kSlack = 64;
  static constexpr std::uint32_t kMaxSegments = 6;
  static constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

  struct Segment {
    std::byte* memory = nullptr;
    std::uint32_t capacity = 0;
    std::uint64_t end = kNoEnd;  ///< Position at which the next segment begins.
  };

  /// Producer. Continues in a larger segment that has room for `needed` bytes. False: there is
  /// none.
  bool grow(std::uint64_t needed) noexcept;
  /// Producer. Reads how far the consumer has come in this segment.
  void look_at_tail() noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    seen_tail_ = tail < base_ ? base_ : tail;
  }
  /// Consumer. To be called after a look at the head: the end of the segment is known from then on.
  void look_for_end() noexcept {
    const bool is_last = read_segment_ + 1 == segment_count_.load(std::memory_order_acquire);
    read_end_ = is_last ? kNoEnd : segments_[read_segment_].end;
  }
  void read_next_segment() noexcept;
  void skip_damaged() noexcept;
  void release(Segment& segment) noexcept;
  void start_with(std::byte* memory, std::uint32_t capacity) noexcept;

  std::byte* reserve_with(EventKind kind, std::size_t wanted, std::uint64_t kept_free) noexcept {
    const std::uint64_t bytes = (wanted + kAlignment - 1) & ~std::uint64_t{kAlignment - 1};
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::uint64_t offset = head & (capacity_ - 1);
    const std::uint64_t padding = offset + bytes > capacity_ ? capacity_ - offset : 0;
    const std::uint64_t needed = padding + bytes + kept_free;
    if (needed > capacity_ - (head - seen_tail_)) {
      look_at_tail();
      if (needed > capacity_ - (head - seen_tail_)) {
        // Twice the size, so that the event fits wherever it begins in the larger segment.
        if (!grow(2 * bytes + kept_free)) return nullptr;
        return reserve_with(kind, wanted, kept_free);
      }
    }
    if (padding != 0) {
      const EventHeader filler{static_cast<std::uint32_t>(padding), EventKind::kPadding, 0};
      std::memcpy(memory_ + offset, &filler, sizeof filler);
    }
    std::byte* event = memory_ + ((head + padding) & (capacity_ - 1));
    const EventHeader header{static_cast<std::uint32_t>(bytes), kind, 0};
    std::memcpy(event, &header, sizeof header);
    pending_ = head + padding + bytes;
    // The next cache lines are in the consumer's core; prefetching hides most of that cost.
    __builtin_prefetch(memory_ + ((pending_ + 256) & (capacity_ - 1)), 1);
    __builtin_prefetch(memory_ + ((pending_ + 320) & (capacity_ - 1)), 1);
    return event;
  }

  std::array<Segment, kMaxSegments> segments_;
  std::atomic<std::uint32_t> segment_count_{1};

  // The producer's cache line.
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::uint64_t pending_ = 0;
  std::uint64_t seen_tail_ = 0;
  std::uint64_t aside_ = 0;
  std::byte* memory_ = nullptr;
  std::uint32_t capacity_ = 0, limit_ = 0;
  std::uint64_t base_ = 0;  ///< Position at which the segment begins.

  // The consumer's cache line.
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::uint64_t seen_head_ = 0;
  std::byte* read_memory_ = nullptr;
  std::uint32_t read_capacity_ = 0, read_segment_ = 0;
  std::uint64_t read_end_ = kNoEnd;
  bool is_damaged_ = false;
};

}  // namespace prof::collectors
