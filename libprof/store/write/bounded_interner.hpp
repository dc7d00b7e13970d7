// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// BoundedInterner: gives equal keys the same small id, in bounded memory. When full it forgets all
// keys, and a key seen again gets a second id: the store then holds duplicate rows, which costs
// space but loses nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace prof {

/// Two fields as one word of a key.
constexpr std::uint64_t pack(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

template <std::size_t Words>
class BoundedInterner {
 public:
  using Key = std::array<std::uint64_t, Words>;

  explicit BoundedInterner(std::size_t max_keys) : max_keys_(max_keys) {}

  struct Interned {
    std::int64_t id;
    bool is_new;
  };

  Interned intern(const Key& key) {
    // Most rows repeat the key of the row before.
    if (last_id_ != 0 && key == last_) return {last_id_, false};
    if (ids_.size() >= max_keys_) ids_.clear();
    const auto [found, is_new] = ids_.try_emplace(key, next_id_);
    if (is_new) ++next_id_;
    last_ = key;
    last_id_ = found->second;
    return {last_id_, is_new};
  }

  /// The ids assigned so far are in the file.
  void on_commit() { next_kept_ = next_id_; }
  /// The ids assigned since on_commit() are not in the file, and are assigned again: ids in a file
  /// have no gaps.
  void on_rollback() {
    ids_.clear();
    last_id_ = 0;
    next_id_ = next_kept_;
  }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0x9e3779b97f4a7c15u;
      for (const std::uint64_t word : key) {
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };

  std::size_t max_keys_;
  std::int64_t next_id_ = 1, next_kept_ = 1;
  Key last_{};
  std::int64_t last_id_ = 0;
  std::unordered_map<Key, std::int64_t, Hash> ids_;
};

}  // namespace prof
