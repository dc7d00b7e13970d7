// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool of activity buffers, see buffer_pool.hpp.
#include "collectors/cupti/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace prof::collectors {
namespace {

/// A block of this size is usually a mapping of its own, which the system zeroes lazily.
std::uint8_t* make_buffer() {
  return static_cast<std::uint8_t*>(std::calloc(1, BufferPool::kBufferBytes));
}

/// Cheap for a short-lived thread's buffer, of which only the first pages were touched: the whole
/// pages after them are returned to the system instead of being cleared.
void make_zero(std::uint8_t* buffer, std::size_t used_bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
  const std::uintptr_t end = begin + BufferPool::kBufferBytes;
  const std::uintptr_t unused = (begin + used_bytes + kPage - 1) / kPage * kPage;
  const std::uintptr_t last_page = end / kPage * kPage;
  const bool is_worth_it = used_bytes <= BufferPool::kBufferBytes / 4;
  if (!is_worth_it ||
      madvise(reinterpret_cast<void*>(unused), last_page - unused, MADV_DONTNEED) != 0) {
    std::memset(buffer, 0, BufferPool::kBufferBytes);
    return;
  }
  std::memset(buffer, 0, unused - begin);
  std::memset(reinterpret_cast<void*>(last_page), 0, end - last_page);
}

}  // namespace

BufferPool::BufferPool(std::size_t cap_bytes)
    : capacity_(std::max<std::size_t>(1, cap_bytes / kBufferBytes)) {
  free_.reserve(capacity_);
}

BufferPool::~BufferPool() {
  for (std::uint8_t* buffer : free_) std::free(buffer);
}

void BufferPool::note_taken() {
  const std::lock_guard lock(mutex_);
  taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::uint8_t* BufferPool::take() {
  std::uint8_t* buffer = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      buffer = free_.back();
      free_.pop_back();
    } else if (made_ == capacity_ && !is_retired_) {
      return nullptr;
    } else {
      ++made_;
    }
  }
  if (buffer == nullptr) buffer = make_buffer();
  if (buffer == nullptr) {
    const std::lock_guard lock(mutex_);
    --made_;
    return nullptr;
  }
  note_taken();
  return buffer;
}

std::uint8_t* BufferPool::take_extra() {
  std::uint8_t* buffer = make_buffer();
  if (buffer == nullptr) return nullptr;
  note_taken();
  const std::lock_guard lock(mutex_);
  ++extra_;
  return buffer;
}

void BufferPool::give_back(std::uint8_t* buffer, std::size_t used_bytes) {
  {
    const std::lock_guard lock(mutex_);
    // A buffer from an earlier session's pool may be returned to this one.
    const std::size_t taken = taken_.load(std::memory_order_relaxed);
    if (taken != 0) taken_.store(taken - 1, std::memory_order_relaxed);
    if (extra_ != 0 || is_retired_ || free_.size() == capacity_) {
      if (extra_ != 0) --extra_;
      std::free(buffer);
      return;
    }
  }
  make_zero(buffer, std::min(used_bytes, kBufferBytes));
  const std::lock_guard lock(mutex_);
  if (is_retired_) return std::free(buffer);
  free_.push_back(buffer);
}

void BufferPool::retire() {
  const std::lock_guard lock(mutex_);
  is_retired_ = true;
  for (std::uint8_t* buffer : free_) std::free(buffer);
  std::vector<std::uint8_t*>().swap(free_);  // Assigning {} would keep its memory.
}

}  // namespace prof::collectors
