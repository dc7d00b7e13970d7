// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GzLines: the lines of a file, plain or gzip-compressed (by content, not by name), in bounded
// memory. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/source/gz_bytes.hpp"

namespace prof {

class GzLines {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

  explicit GzLines(const std::string& path, FilePosition position = {})
      : bytes_(path, std::move(position)) {}

  /// The next line without its end; valid until the next call. False at the end or on a problem.
  bool next(std::string_view& line) {
    for (;;) {
      if (const std::size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
        line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = searched_ = end + 1;
        ++number_;
        return true;
      }
      searched_ = buffer_.size();
      if (!fill()) break;
    }
    if (begin_ == buffer_.size() || !problem().empty()) return false;
    unended_ = true;
    line = std::string_view(buffer_).substr(begin_);
    begin_ = searched_ = buffer_.size();
    ++number_;
    return true;
  }

  /// The number of the line that next() last returned, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Whether the line that next() last returned is the file's last and lacks its line end.
  [[nodiscard]] bool unended() const { return unended_; }
  /// Whether the compressed data ends early.
  [[nodiscard]] bool cut() const { return bytes_.cut(); }
  /// The reason why reading failed, or empty.
  [[nodiscard]] const std::string& problem() const {
    return too_long_.empty() ? bytes_.problem() : too_long_;
  }

 private:
  bool fill() {
    if (!problem().empty()) return false;
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    const std::size_t size = buffer_.size();
    if (size > kMaxLineBytes) {
      too_long_ = "line " + std::to_string(number_ + 1) + " is longer than 16 MiB";
      return false;
    }
    buffer_.resize(size + GzBytes::kChunkBytes);
    const std::size_t read = bytes_.read(buffer_.data() + size);
    buffer_.resize(size + read);
    return read > 0;
  }

  GzBytes bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;     // Start of the next line.
  std::size_t searched_ = 0;  // There is no line end before it.
  std::uint64_t number_ = 0;
  bool unended_ = false;
  std::string too_long_;
};

}  // namespace prof
