// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// FlatMap: a small hash map from non-zero 64-bit keys to values, for caches consulted once per
// kernel: open addressing, allocates only when it grows, cleared as a whole. Not a general
// container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "libprof/base/check.hpp"

namespace prof {

template <typename Value>
class FlatMap {
 public:
  FlatMap() : slots_(kFirstSize) {}

  /// Null if the key is absent. Valid until the next insert() or clear().
  Value* find(std::uint64_t key) {
    for (std::size_t i = home(key);; i = next(i)) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == 0) return nullptr;
    }
  }

  [[nodiscard]] const Value* find(std::uint64_t key) const {
    return const_cast<FlatMap*>(this)->find(key);
  }

  /// `key` must be non-zero and not in the map. The result is valid until the next insert() or
  /// clear().
  Value* insert(std::uint64_t key, Value value) {
    PROF_CHECK(key != 0);
    if ((size_ + 1) * 2 > slots_.size()) grow();
    ++size_;
    return place(key, std::move(value));
  }

  /// Keeps the allocated memory.
  void clear() {
    if (size_ == 0) return;
    for (Slot& slot : slots_) slot = Slot{};
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value value{};
  };

  static constexpr std::size_t kFirstSize = 1024;

  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    std::uint64_t h = key * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 32;
    return static_cast<std::size_t>(h) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }

  Value* place(std::uint64_t key, Value value) {
    std::size_t i = home(key);
    while (slots_[i].key != 0) i = next(i);
    slots_[i].key = key;
    slots_[i].value = std::move(value);
    return &slots_[i].value;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.key != 0) place(slot.key, std::move(slot.value));
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::size_t size_ = 0;
};

}  // namespace prof
