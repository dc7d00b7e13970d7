// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool of activity buffers, see buffer_pool.hpp.
#include "collectors/cupti/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace prof::collectors {
namespace {

std::uint8_t* map_zeroed(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
}

/// Cheap for the buffer of a short-lived thread, of which only the first pages were ever touched:
/// the rest goes back to the system, whatever is in it, instead of being touched to be zeroed.
void make_zero(std::uint8_t* buffer, std::size_t used_bytes) {
  constexpr std::size_t kPage = 4096;
  std::size_t kept = (used_bytes + kPage - 1) / kPage * kPage;
  if (kept > BufferPool::kBufferBytes / 4 ||
      madvise(buffer + kept, BufferPool::kBufferBytes - kept, MADV_DONTNEED) != 0) {
    kept = BufferPool::kBufferBytes;
  }
  std::memset(buffer, 0, kept);
}

}  // namespace

BufferPool::BufferPool(std::size_t cap_bytes) {
  const std::size_t wanted = std::max<std::size_t>(1, cap_bytes / kBufferBytes);
  region_ = map_zeroed(wanted * kBufferBytes);
  if (region_ == nullptr) return;
  capacity_ = wanted;
  free_.reserve(capacity_);
  out_.resize(capacity_);
}

BufferPool::~BufferPool() {
  if (region_ != nullptr) munmap(region_, capacity_ * kBufferBytes);
  for (std::uint8_t* buffer : extra_) munmap(buffer, kBufferBytes);
}

std::uint8_t* BufferPool::take() {
  std::size_t index = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else if (untouched_ < capacity_) {
      index = untouched_++;
    } else {
      return nullptr;
    }
    out_[index] = true;
  }
  taken_.fetch_add(1, std::memory_order_relaxed);
  return region_ + index * kBufferBytes;
}

std::uint8_t* BufferPool::take_extra() {
  std::uint8_t* buffer = map_zeroed(kBufferBytes);
  if (buffer == nullptr) return nullptr;
  taken_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  extra_.push_back(buffer);
  return buffer;
}

void BufferPool::give_back(std::uint8_t* buffer, std::size_t used_bytes) {
  taken_.fetch_sub(1, std::memory_order_relaxed);
  if (is_pooled(buffer)) {
    make_zero(buffer, std::min(used_bytes, kBufferBytes));
    const auto index =
        static_cast<std::uint32_t>(static_cast<std::size_t>(buffer - region_) / kBufferBytes);
    const std::lock_guard lock(mutex_);
    out_[index] = false;
    free_.push_back(index);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase(extra_, buffer);
  }
  munmap(buffer, kBufferBytes);
}

bool BufferPool::owns(const std::uint8_t* buffer) {
  const std::lock_guard lock(mutex_);
  if (is_pooled(buffer)) {
    const auto offset = static_cast<std::size_t>(buffer - region_);
    return offset % kBufferBytes == 0 && out_[offset / kBufferBytes];
  }
  return std::find(extra_.begin(), extra_.end(), buffer) != extra_.end();
}

}  // namespace prof::collectors
