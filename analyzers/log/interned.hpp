// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that rows of a log share (work_log.hpp): Interned numbers distinct values, from 0. Rows of
// a step follow each other as they do in the step before, so the value behind the last one is
// guessed first, and hardly any row needs a look-up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzers/model/attribution.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// Words that are equal if and only if the values are. Objects are compared by their addresses,
/// which stay theirs as long as an interned value keeps them alive.
template <std::size_t kWords>
struct WordKey {
  std::array<std::uint64_t, kWords> words{};

  bool operator==(const WordKey&) const = default;
  struct Hash {
    std::size_t operator()(const WordKey& key) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t word : key.words) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
};

/// All of an attribution but what differs between the instances of an op: step, ids, numbers.
using AttributionKey = WordKey<13>;
AttributionKey key_of(const Attribution& made);

/// All of a piece of work but what differs from launch to launch: times, ids, range.
using FormKey = WordKey<6>;
FormKey key_of(const GpuRow& row);

template <typename Key, typename Value>
class Interned {
 public:
  /// More distinct values than that do not repeat enough to be worth keeping.
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  std::uint32_t add(const Key& key, const Value& value) {
    const std::uint32_t guess = last_ < next_.size() ? next_[last_] : 0;
    if (guess < keys_.size() && keys_[guess] == key) return last_ = guess;
    const auto [found, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(values_.size()));
    if (is_new) {
      keys_.push_back(key);
      values_.push_back(value);
      next_.push_back(0);
    }
    if (last_ < next_.size()) next_[last_] = found->second;
    return last_ = found->second;
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const Value& operator[](std::uint32_t number) const { return values_[number]; }

 private:
  std::vector<Key> keys_;
  std::vector<Value> values_;
  std::vector<std::uint32_t> next_;  // which one came behind each when it was last added
  std::unordered_map<Key, std::uint32_t, typename Key::Hash> numbers_;
  std::uint32_t last_ = 0;
};

}  // namespace prof
