// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PinnedBytes: bytes that several rows hold and that stay unchanged as long as one does. Counts its
// holders without atomic operations, which a std::shared_ptr would pay for each of millions of
// rows: rows belong to the one thread that uses their reader.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace prof {

class PinnedBytes {
 public:
  PinnedBytes() = default;
  PinnedBytes(const PinnedBytes& other) : block_(other.block_) {
    if (block_ != nullptr) ++block_->holders;
  }
  PinnedBytes(PinnedBytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  PinnedBytes& operator=(PinnedBytes other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~PinnedBytes() {
    if (block_ != nullptr && --block_->holders == 0) destroy(block_);
  }

  /// New bytes with one holder.
  static PinnedBytes make(std::string bytes = {}) {
    PinnedBytes made;
    made.block_ = new Block{1, std::move(bytes)};
    return made;
  }

  /// Nobody else holds them, so they may be changed.
  [[nodiscard]] bool is_only_holder() const { return block_ != nullptr && block_->holders == 1; }
  /// Only of bytes that were made.
  [[nodiscard]] std::string& bytes() { return block_->bytes; }
  [[nodiscard]] const std::string& bytes() const { return block_->bytes; }

 private:
  struct Block {
    std::uint64_t holders;
    std::string bytes;
  };
  // Out of line: seldom called.
  static void destroy(Block* block);

  Block* block_ = nullptr;
};

}  // namespace prof
