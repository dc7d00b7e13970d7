// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonInput: the characters of a file for a JSON parser, read in chunks and mended
// (json_mender.hpp). One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "libprof/source/gz_bytes.hpp"
#include "tools/import/kineto/json_mender.hpp"

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

  [[nodiscard]] const JsonMender& mender() const { return mender_; }

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
      while (size_ == 0 && read_chunk()) continue;
    }
  }
  /// False at the end of the file.
  bool read_chunk() {
    const auto held = std::ranges::copy(held_, chunk_.begin()).out;
    const std::size_t read = bytes_.read(&*held);
    const std::span<char> chunk(chunk_.begin(), held + static_cast<std::ptrdiff_t>(read));
    size_ = mender_.mend(chunk, read == 0);
    held_.assign(chunk.begin() + static_cast<std::ptrdiff_t>(size_), chunk.end());
    return read != 0;
  }

  GzBytes bytes_;
  JsonMender mender_;
  std::string held_;  // what the mender could not decide on yet: a few characters
  std::array<char, GzBytes::kChunkBytes + JsonMender::kMostHeld> chunk_{};
  std::size_t at_ = 0, size_ = 0;
  std::uint64_t before_ = 0;  // characters of earlier chunks
  std::uint64_t token_begin_ = 0;
  std::string too_long_;
};

}  // namespace prof::importers
