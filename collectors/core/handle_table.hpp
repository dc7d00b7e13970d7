// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects that the program refers to by handle. A handle is a number, not an address: the table's
// tag, the object's generation, its index. A handle that this table did not issue, or whose object
// was retired, is detected by comparing numbers; it is never dereferenced, and the tag keeps it
// distinct from any address that a process can have. Objects never move and live as long as the
// process, in a forked child too. Threads: find() from any; add() and retire() under the owner's
// mutex.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/core/mapped_memory.hpp"

namespace prof::collectors {

template <typename T, std::uint8_t kTag, std::uint32_t kMax>
class HandleTable {
 public:
  /// A new object; nullptr if there are too many. Throws std::bad_alloc.
  T* add() {
    const std::uint32_t index = size_.load(std::memory_order_relaxed);
    if (index == kMax) return nullptr;
    Slot*& chunk = chunks_[index / kChunk];
    if (chunk == nullptr) {
      auto* slots = static_cast<Slot*>(mapped_memory().allocate(kChunk * sizeof(Slot)));
      for (std::uint32_t i = 0; i < kChunk; ++i) std::construct_at(&slots[i]);
      chunk = slots;
    }
    Slot& slot = chunk[index % kChunk];
    slot.object.index = index;
    return &slot.object;
  }
  /// Publishes the object that add() last returned, now filled in.
  void publish() noexcept { size_.fetch_add(1, std::memory_order_release); }

  [[nodiscard]] std::uint32_t size() const noexcept {
    return size_.load(std::memory_order_acquire);
  }
  /// `index` is below size().
  [[nodiscard]] T& at(std::uint32_t index) noexcept { return slot(index).object; }

  [[nodiscard]] std::uint64_t handle_of(const T& object) noexcept {
    const std::uint32_t generation = slot(object.index).generation.load(std::memory_order_relaxed);
    return std::uint64_t{kTag} << 56 | std::uint64_t{generation} << 32 | object.index;
  }
  /// The object of a handle; nullptr if it is not a handle of this table, or its object was
  /// retired.
  [[nodiscard]] T* find(std::uint64_t handle) noexcept {
    T* object = find_even_retired(handle);
    if (object == nullptr) return nullptr;
    const std::uint32_t generation = slot(object->index).generation.load(std::memory_order_relaxed);
    return (handle >> 32 & kGenerations) == generation ? object : nullptr;
  }
  [[nodiscard]] T* find_even_retired(std::uint64_t handle) noexcept {
    const auto index = static_cast<std::uint32_t>(handle);
    if (handle >> 56 != kTag || index >= size()) return nullptr;
    return &slot(index).object;
  }
  /// Invalidates all handles of the object issued so far.
  void retire(const T& object) noexcept {
    std::atomic<std::uint32_t>& generation = slot(object.index).generation;
    generation.store((generation.load(std::memory_order_relaxed) + 1) & kGenerations,
                     std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t kChunk = 256;
  static constexpr std::uint32_t kGenerations = 0xffffff;
  struct Slot {
    T object;
    std::atomic<std::uint32_t> generation{0};
  };
  Slot& slot(std::uint32_t index) noexcept { return chunks_[index / kChunk][index % kChunk]; }

  std::atomic<std::uint32_t> size_{0};
  Slot* chunks_[(kMax + kChunk - 1) / kChunk] = {};
};

}  // namespace prof::collectors
