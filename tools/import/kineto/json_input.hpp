// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonInput: the characters of a file for a JSON parser, read in chunks. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "libprof/source/gz_bytes.hpp"

namespace prof::importers {

class JsonInput {
 public:
  /// A parser holds one text or number as a whole.
  static constexpr std::uint64_t kMaxTokenBytes = std::uint64_t{16} << 20;

  explicit JsonInput(const std::string& path, FilePosition position = {})
      : bytes_(path, std::move(position)) {
    fill();
  }

  [[nodiscard]] bool at_end() const { return at_ == size_; }
  [[nodiscard]] char current() const { return chunk_[at_]; }
  void advance() {
    ++at_;
    if (at_ == size_) fill();
  }
  /// The parser has taken a token.
  void token_taken() { token_begin_ = position(); }

  /// How many characters were passed.
  [[nodiscard]] std::uint64_t position() const { return before_ + at_; }
  [[nodiscard]] bool cut() const { return bytes_.cut(); }
  [[nodiscard]] const std::string& problem() const {
    return too_long_.empty() ? bytes_.problem() : too_long_;
  }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator() = default;  // the end
    explicit Iterator(JsonInput& input) : input_(&input) {}
    char operator*() const { return input_->current(); }
    Iterator& operator++() {
      input_->advance();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.ended() == b.ended(); }

   private:
    [[nodiscard]] bool ended() const { return input_ == nullptr || input_->at_end(); }
    JsonInput* input_ = nullptr;
  };

 private:
  void fill() {
    before_ += size_;
    at_ = size_ = 0;
    if (before_ - token_begin_ > kMaxTokenBytes) {
      too_long_ = "has a text of more than 16 MiB at byte " + std::to_string(token_begin_);
    } else {
      size_ = bytes_.read(chunk_.data());
    }
  }

  GzBytes bytes_;
  std::array<char, GzBytes::kChunkBytes> chunk_{};
  std::size_t at_ = 0, size_ = 0;
  std::uint64_t before_ = 0;  // characters of earlier chunks
  std::uint64_t token_begin_ = 0;
  std::string too_long_;
};

}  // namespace prof::importers
