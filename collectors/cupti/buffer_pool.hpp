// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The activity buffers that CUPTI fills: one region for the whole process, cut into buffers of
// equal size, handed out zeroed (so that CUPTI need not zero them on the program's threads) and
// taken back. Pages are touched only when a buffer is first used. Not a general allocator. Threads:
// take() on any thread, also many at once; give_back() on the decoding thread. Never throws.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace prof::collectors {

class BufferPool {
 public:
  static constexpr std::size_t kBufferBytes = 256 * 1024;

  /// Reserves address space for `cap_bytes` (at least one buffer). On failure every take() is
  /// refused.
  explicit BufferPool(std::size_t cap_bytes);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  /// Only once CUPTI holds no buffer any more.
  ~BufferPool();

  /// A zeroed, page-aligned buffer of kBufferBytes, or null when all are out.
  std::uint8_t* take();

  /// One buffer beyond the cap, for a CUPTI that cannot be refused; null only without memory.
  std::uint8_t* take_extra();

  /// Zeroes the buffer and makes it available again; an extra one is unmapped.
  /// `used_bytes`: a hint of how much of it was written, from its start.
  void give_back(std::uint8_t* buffer, std::size_t used_bytes = kBufferBytes);

  /// The pointer is one that take() or take_extra() gave out and that has not come back.
  [[nodiscard]] bool owns(const std::uint8_t* buffer);

  /// Buffers that are with CUPTI or wait for decoding.
  [[nodiscard]] std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  [[nodiscard]] bool is_pooled(const std::uint8_t* buffer) const {
    return buffer >= region_ && buffer < region_ + capacity_ * kBufferBytes;
  }

  std::uint8_t* region_ = nullptr;
  std::size_t capacity_ = 0;
  std::atomic<std::size_t> taken_{0};
  std::mutex mutex_;                 ///< Guards the rest; held for a few instructions only.
  std::size_t untouched_ = 0;        ///< Buffers from here on have never been handed out.
  std::vector<std::uint32_t> free_;  ///< Indexes; room for all is reserved at the start.
  std::vector<bool> out_;
  std::vector<std::uint8_t*> extra_;
};

}  // namespace prof::collectors
