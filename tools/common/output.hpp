// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Output: where a program's results go. Collects text in one large buffer and writes it to the
// stream in blocks; remembers the first error, so that writers need not check every call. One
// thread.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace prof::tools {

class Output {
 public:
  /// Does not own the stream.
  explicit Output(std::FILE* stream) : stream_(stream) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() = default;

  /// Called before text is written to the stream, each time.
  void before_write(std::function<void()> action) { before_write_ = std::move(action); }

  /// Text is appended here; call commit() after each piece (a row).
  std::string& buffer() { return buffer_; }

  void write(std::string_view text) {
    buffer_ += text;
    commit();
  }

  /// Writes the buffer once it holds a block. False: no point in continuing.
  bool commit() {
    if (buffer_.size() >= kBlockBytes) flush();
    return error_ == 0;
  }

  /// Writes everything and flushes the stream.
  void flush();

  /// errno of the first failed write, or 0. EPIPE: the reader went away, which is not a failure.
  [[nodiscard]] int error() const { return error_; }

 private:
  static constexpr std::size_t kBlockBytes = 256 * 1024;

  std::FILE* stream_;
  std::function<void()> before_write_;
  std::string buffer_;
  int error_ = 0;
};

}  // namespace prof::tools
