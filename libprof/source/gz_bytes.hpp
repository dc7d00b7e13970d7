// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GzBytes: the bytes of a file, plain or gzip-compressed (by content, not by name). A file that
// decompresses to an implausible size is refused. One thread at a time.
#pragma once

#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace prof {

/// Called from time to time with the number of bytes of a file that have been read, as stored on
/// the disk.
using FilePosition = std::function<void(std::uint64_t bytes)>;

class GzBytes {
 public:
  static constexpr unsigned kChunkBytes = 128 * 1024;
  /// Records compress to a tenth of their size, at best a fiftieth; only repetitions of one byte
  /// compress further. Checked from this many bytes on.
  static constexpr std::uint64_t kMaxExpansion = 250;
  static constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;

  explicit GzBytes(const std::string& path, FilePosition position = {})
      : file_(gzopen(path.c_str(), "rbe")), position_(std::move(position)) {
    if (!file_) {
      problem_ = std::string("cannot be opened: ") + strerrordesc_np(errno);
      return;
    }
    gzbuffer(file_.get(), kChunkBytes);
  }

  /// Reads up to kChunkBytes; 0 at the end or on a problem.
  std::size_t read(char* to) {
    if (!file_ || ended_) return 0;
    const int read = gzread(file_.get(), to, kChunkBytes);
    if (position_) tell_position();
    if (read > 0) {
      bytes_ += static_cast<std::uint64_t>(read);
      const z_off_t taken = bytes_ > kFreeBytes ? gzoffset(file_.get()) : -1;
      if (taken < 0 || bytes_ / kMaxExpansion <= static_cast<std::uint64_t>(taken)) {
        return static_cast<std::size_t>(read);
      }
      problem_ = "expands to more than 250 times its size: no capture writes such a file";
    }
    ended_ = true;
    if (read > 0) return 0;
    int code = Z_OK;
    const char* const message = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) {
      cut_ = true;
    } else if (read < 0) {
      problem_ =
          std::string("cannot be read: ") + (code == Z_ERRNO ? strerrordesc_np(errno) : message);
    }
    return 0;
  }

  /// Whether the compressed data ends early.
  [[nodiscard]] bool cut() const { return cut_; }
  /// The reason why reading failed, or empty.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void tell_position() const {
    const z_off_t taken = gzoffset(file_.get());
    if (taken >= 0) position_(static_cast<std::uint64_t>(taken));
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  std::unique_ptr<gzFile_s, Close> file_;
  FilePosition position_;
  std::uint64_t bytes_ = 0;  // read so far, decompressed
  bool ended_ = false;
  bool cut_ = false;
  std::string problem_;
};

}  // namespace prof
