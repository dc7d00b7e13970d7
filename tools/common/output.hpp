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

  /// Called before text is written to the stream, each time. It may change the buffer.
  void before_write(std::function<void()> action) { before_write_ = std::move(action); }
  /// Writes to that stream from now on.
  void redirect(std::FILE* stream) { stream_ = stream; }
  /// Writes no less than so many bytes at a time.
  void hold(std::size_t bytes) { block_bytes_ = bytes; }

  /// Text is appended here; call commit() after each piece (a row).
  std::string& buffer() { return buffer_; }

  void write(std::string_view text) {
    buffer_ += text;
    commit();
  }

  /// Writes the buffer once it holds a block. False: no point in continuing.
  bool commit() {
    if (buffer_.size() >= block_bytes_) flush();
    return error_ == 0;
  }

  /// Writes everything and flushes the stream.
  void flush();

  /// errno of the first failed write, or 0. EPIPE: the reader went away, which is not a failure.
  [[nodiscard]] int error() const { return error_; }

 private:
  std::FILE* stream_;
  std::size_t block_bytes_ = std::size_t{256} * 1024;
  std::function<void()> before_write_;
  std::string buffer_;
  int error_ = 0;
};

}  // namespace prof::tools
