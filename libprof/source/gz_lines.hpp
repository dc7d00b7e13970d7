// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GzLines: the lines of a file, plain or gzip-compressed (by content, not by name), in bounded
// memory. A file that decompresses to an implausible size is refused. One thread at a time.
#pragma once

#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace prof {

class GzLines {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;
  /// Records compress to a tenth of their size, at best a fiftieth; only repetitions of one byte
  /// compress further. Checked from this many bytes on.
  static constexpr std::uint64_t kMaxExpansion = 250;
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;

  explicit GzLines(const std::string& path) : file_(gzopen(path.c_str(), "rbe")) {
    if (!file_) {
      problem_ = std::string("cannot be opened: ") + strerrordesc_np(errno);
      return;
    }
    gzbuffer(file_.get(), kChunkBytes);
  }

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
    if (begin_ == buffer_.size() || !problem_.empty()) return false;
    unended_ = true;
    line = std::string_view(buffer_).substr(begin_);
    begin_ = searched_ = buffer_.size();
    ++number_;
    return true;
  }

  /// The number of the line that next() last returned, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// The line that next() last returned is the file's last and lacks its line end.
  [[nodiscard]] bool unended() const { return unended_; }
  /// The compressed data ends early.
  [[nodiscard]] bool cut() const { return cut_; }
  /// Why reading failed, or empty.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static constexpr unsigned kChunkBytes = 128 * 1024;

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  bool fill() {
    if (!file_ || ended_) return false;
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    const std::size_t size = buffer_.size();
    if (size > kMaxLineBytes) {
      problem_ = "line " + std::to_string(number_ + 1) + " is longer than 16 MiB";
      return false;
    }
    buffer_.resize(size + kChunkBytes);
    const int read = gzread(file_.get(), buffer_.data() + size, kChunkBytes);
    buffer_.resize(size + static_cast<std::size_t>(read > 0 ? read : 0));
    if (read > 0) {
      bytes_ += static_cast<std::uint64_t>(read);
      const z_off_t taken = bytes_ > kFreeBytes ? gzoffset(file_.get()) : -1;
      if (taken < 0 || bytes_ / kMaxExpansion <= static_cast<std::uint64_t>(taken)) return true;
      problem_ = "expands to more than 250 times its size: no capture writes such a file";
      return false;
    }
    ended_ = true;
    int code = Z_OK;
    const char* const message = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) {
      cut_ = true;
    } else if (read < 0) {
      problem_ =
          std::string("cannot be read: ") + (code == Z_ERRNO ? strerrordesc_np(errno) : message);
    }
    return false;
  }

  std::unique_ptr<gzFile_s, Close> file_;
  std::string buffer_;
  std::size_t begin_ = 0;     // Of the next line.
  std::size_t searched_ = 0;  // There is no line end before it.
  std::uint64_t number_ = 0;
  std::uint64_t bytes_ = 0;  // Read so far, decompressed.
  bool ended_ = false;
  bool unended_ = false;
  bool cut_ = false;
  std::string problem_;
};

}  // namespace prof
