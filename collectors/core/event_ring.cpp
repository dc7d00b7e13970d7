// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Growth of a ring, see event_ring.hpp.
#include "collectors/core/event_ring.hpp"

#include <algorithm>
#include <new>

#include "collectors/core/mapped_memory.hpp"

namespace prof::collectors {

bool EventRing::grow(std::uint64_t needed) noexcept {
  constexpr std::uint32_t kFactor = 8;
  const std::uint32_t count = segment_count_.load(std::memory_order_relaxed);
  if (capacity_ >= limit_ || count == kMaxSegments) return false;
  std::uint32_t capacity = capacity_;
  while (capacity < limit_ && (capacity < capacity_ * kFactor || capacity < needed)) capacity *= 2;
  if (capacity < needed) return false;
  try {
    memory_ = static_cast<std::byte*>(mapped_memory().allocate(capacity));
  } catch (const std::bad_alloc&) {
    return false;
  }
  capacity_ = capacity;
  // The whole segment is free, even if the consumer has still to read the previous one.
  base_ = seen_tail_ = head_.load(std::memory_order_relaxed);
  segments_[count - 1].end = base_;
  segments_[count] = {memory_, capacity, kNoEnd};
  segment_count_.store(count + 1, std::memory_order_release);
  return true;
}

void EventRing::release(Segment& segment) noexcept {
  if (&segment != &segments_.front()) mapped_memory().release(segment.memory, segment.capacity);
}

void EventRing::read_next_segment() noexcept {
  release(segments_[read_segment_++]);
  read_memory_ = segments_[read_segment_].memory;
  read_capacity_ = segments_[read_segment_].capacity;
  look_for_end();
}

void EventRing::skip_damaged() noexcept {
  is_damaged_ = true;
  while (read_end_ <= seen_head_) read_next_segment();
  tail_.store(seen_head_, std::memory_order_release);
}

void EventRing::reset() noexcept {
  const std::uint32_t count = segment_count_.load(std::memory_order_relaxed);
  while (read_segment_ < count) release(segments_[read_segment_++]);
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
  pending_ = base_ = seen_tail_ = seen_head_ = 0;
  aside_ = 0;
  start_with(segments_.front().memory, segments_.front().capacity);
}

void EventRing::start_with(std::byte* memory, std::uint32_t capacity) noexcept {
  segments_.front() = {memory, capacity, kNoEnd};
  segment_count_.store(1, std::memory_order_relaxed);
  memory_ = read_memory_ = memory;
  capacity_ = read_capacity_ = capacity;
  read_segment_ = 0;
  read_end_ = kNoEnd;
}

}  // namespace prof::collectors
