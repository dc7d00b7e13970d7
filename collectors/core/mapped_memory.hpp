// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for objects created on program threads (domains, strings, names, schemas, open start/end
// ranges): mapped, never from malloc. A signal handler that interrupted malloc may register a
// string, and a thread that waits for malloc must not hold a mutex that such a handler needs.
// Blocks come in powers of two and are kept for reuse; only blocks above 128 KB are unmapped.
// Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectors/core/signal_safe_mutex.hpp"

namespace prof::collectors {

class MappedMemory {
 public:
  /// The block is 16-byte aligned; throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  /// `bytes` as passed to allocate().
  void release(void* block, std::size_t bytes) noexcept;

  /// For use around a fork, so that a child finds it in a consistent state.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  static constexpr std::size_t kClasses = 14;  ///< 16 bytes to 128 KB.
  struct Free {
    Free* next;
  };
  SignalSafeMutex mutex_;
  Free* free_[kClasses] = {};
  std::byte* rest_ = nullptr;  ///< The unused rest of the last mapping.
  std::size_t rest_bytes_ = 0;
};

MappedMemory& mapped_memory() noexcept;

template <typename T>
struct MappedAllocator {
  using value_type = T;
  MappedAllocator() noexcept = default;
  template <typename Other>
  // NOLINTNEXTLINE(google-explicit-constructor): required of an allocator.
  MappedAllocator(const MappedAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= 16);
    return static_cast<T*>(mapped_memory().allocate(count * kBytes));
  }
  void deallocate(T* block, std::size_t count) noexcept {
    mapped_memory().release(block, count * kBytes);
  }
  bool operator==(const MappedAllocator&) const noexcept = default;

 private:
  static constexpr std::size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression)
};

using MappedString = std::basic_string<char, std::char_traits<char>, MappedAllocator<char>>;
template <typename T>
using MappedVector = std::vector<T, MappedAllocator<T>>;
template <typename Key, typename Value, typename Hash = std::hash<Key>>
using MappedMap = std::unordered_map<Key, Value, Hash, std::equal_to<Key>,
                                     MappedAllocator<std::pair<const Key, Value>>>;
template <typename Key, typename Value>
using MappedMultimap = std::unordered_multimap<Key, Value, std::hash<Key>, std::equal_to<Key>,
                                               MappedAllocator<std::pair<const Key, Value>>>;

/// An object that lives as long as the process.
template <typename T, typename... Arguments>
T* make_mapped(Arguments&&... arguments) {
  void* block = mapped_memory().allocate(sizeof(T));
  return std::construct_at(static_cast<T*>(block), std::forward<Arguments>(arguments)...);
}

}  // namespace prof::collectors
