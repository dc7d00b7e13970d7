// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The activity buffers that CUPTI fills: of equal size, handed out zeroed (so that CUPTI need not
// zero them on the program's threads) and taken back. Each comes from malloc: a profiler in the
// program that takes over CUPTI also gets ours and frees them as its own. Pages are touched only
// when a buffer is first used. Not a general allocator. Threads: any, concurrently. Never throws.
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

  /// Buffers for up to `cap_bytes` (at least one).
  explicit BufferPool(std::size_t cap_bytes);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  /// Frees the returned buffers; one that CUPTI still holds is leaked.
  ~BufferPool();

  /// A zeroed buffer of kBufferBytes, with malloc's alignment; null if all are in use or out of
  /// memory.
  std::uint8_t* take();

  /// One buffer beyond the cap, for a CUPTI that does not tolerate refusal; null only if out of
  /// memory.
  std::uint8_t* take_extra();

  /// Zeroes the buffer and makes it available again, or frees it if there are more than the cap.
  /// `used_bytes`: a hint of how much of it was written, from its start.
  void give_back(std::uint8_t* buffer, std::size_t used_bytes = kBufferBytes);

  /// Frees all buffers that are not in use, and from now on any that is returned.
  void retire();

  /// Number of buffers that CUPTI holds or that wait for decoding.
  [[nodiscard]] std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  void note_taken();

  const std::size_t capacity_;
  std::atomic<std::size_t> taken_{0};  ///< Changed under the mutex.
  std::mutex mutex_;                   ///< Guards the rest; held only for a few instructions.
  bool is_retired_ = false;
  std::size_t made_ = 0;  ///< Buffers made within the capacity.
  /// Buffers made beyond the capacity. All are alike: whichever is returned first is freed.
  std::size_t extra_ = 0;
  std::vector<std::uint8_t*> free_;  ///< Capacity for all is reserved at the start.
};

}  // namespace prof::collectors
