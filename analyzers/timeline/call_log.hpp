// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CallLog: the calls of a thread that may keep it from launching, packed: each as its distance from
// the one before and its length, in 5 to 7 bytes where both are short. Blocks of calls are unpacked
// one at a time, so looking around one time is cheap, and times that follow each other are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prof {

enum class IdleCause : std::uint8_t;

class CallLog {
 public:
  struct Call {
    std::int64_t begin_ns = 0, end_ns = 0;
    IdleCause cause{};
  };

  /// In order of begin, as a thread's calls follow each other.
  void add(const Call& call);
  /// After the last one. Puts those in order that were added out of order, at 24 bytes a call.
  void finish();

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The first one that ends at `time_ns` or later; size() if none does.
  [[nodiscard]] std::size_t first_ending_from(std::int64_t time_ns) const;
  /// The first one that ends later.
  [[nodiscard]] std::size_t first_ending_after(std::int64_t time_ns) const {
    return time_ns == INT64_MAX ? size_ : first_ending_from(time_ns + 1);
  }
  [[nodiscard]] const Call& operator[](std::size_t index) const;

 private:
  static constexpr std::size_t kBlockCalls = 256;

  struct Block {
    std::string bytes;
    std::int64_t last_end_ns = 0;
  };
  void pack(const Call& call);
  /// The first block with such a call; blocks_.size(): none has one.
  [[nodiscard]] std::size_t block_ending_from(std::int64_t time_ns) const;
  const std::vector<Call>& unpacked(std::size_t block) const;

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::int64_t last_begin_ns_ = 0;  // of the last call in the last block
  bool in_order_ = true;
  mutable std::vector<Call> calls_;  // of one block
  mutable std::size_t unpacked_ = SIZE_MAX;
  mutable std::size_t found_ = 0;  // in that block, what was asked for last
};

}  // namespace prof
