// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecentMap: remembers values of the 64-bit keys that came last, in a table that never grows: each
// key has one place, and a newer key takes it from an older one. For ids that count up and are
// asked for while they are young; what was overwritten has to be found out again. Key 0 is no key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof {

template <typename Value>
class RecentMap {
 public:
  /// `places` is a power of two.
  explicit RecentMap(std::size_t places) : slots_(places) {}

  /// Null if there is none (any more). Valid until the next put() or clear().
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
