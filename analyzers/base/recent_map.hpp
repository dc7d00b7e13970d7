// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecentMap: remembers the values of recent 64-bit keys in a table that never grows: each key has
// one slot, and a newer key evicts an older one. For ids that count up and are looked up while
// young; evicted values have to be recomputed. Key 0 is not a key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libprof/base/check.hpp"

namespace prof {

template <typename Value>
class RecentMap {
 public:
  /// `places` is a power of two.
  explicit RecentMap(std::size_t places) : slots_(places) {
    PROF_CHECK(std::has_single_bit(places));
  }

  /// Null if absent or evicted. Valid until the next put() or clear().
  [[nodiscard]] const Value* find(std::uint64_t key) const {
    const Slot& slot = slots_[key & (slots_.size() - 1)];
    return slot.key == key && key != 0 ? &slot.value : nullptr;
  }

  void put(std::uint64_t key, const Value& value) {
    Slot& slot = slots_[key & (slots_.size() - 1)];
    slot.key = key;
    slot.value = value;
  }

  void clear() {
    for (Slot& slot : slots_) slot.key = 0;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value value{};
  };

  std::vector<Slot> slots_;
};

}  // namespace prof
