// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See gz_stream.hpp. The stream is one of the C library's with a write function of our own, so that
// tools::Output, which collects text and remembers errors, needs to know nothing about it.
#include "tools/report/export/gz_stream.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>

namespace prof::exports {

class GzStream::Deflater {
 public:
  explicit Deflater(std::FILE* to) : to_(to) {
    constexpr int kGzip = 16;  // added to the window's bits: a header of gzip, not of zlib
    constexpr int kMemoryLevel = 8;
    // Most of a trace's text repeats: higher levels take longer and save little.
    constexpr int kLevel = 3;
    const int code = deflateInit2(&state_, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                                  Z_DEFAULT_STRATEGY);
    is_open_ = code == Z_OK;
    if (!is_open_) error_ = ENOMEM;
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() {
    if (is_open_) deflateEnd(&state_);
  }

  /// False: it failed, see error().
  bool write(const char* bytes, std::size_t size, int flush) {
    if (error_ != 0) return false;
    // zlib does not write to its input.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
    state_.avail_in = static_cast<uInt>(size);
    do {
      state_.next_out = reinterpret_cast<Bytef*>(room_.data());
      state_.avail_out = static_cast<uInt>(room_.size());
      deflate(&state_, flush);
      const std::size_t made = room_.size() - state_.avail_out;
      errno = 0;
      if (std::fwrite(room_.data(), 1, made, to_) != made) error_ = errno != 0 ? errno : EIO;
    } while (state_.avail_out == 0 && error_ == 0);
    return error_ == 0;
  }

  int finish() {
    write(nullptr, 0, Z_FINISH);
    errno = 0;
    if (error_ == 0 && std::fflush(to_) != 0) error_ = errno != 0 ? errno : EIO;
    return error_;
  }
  [[nodiscard]] int error() const { return error_; }

 private:
  std::FILE* to_;
  z_stream state_{};
  bool is_open_ = false;
  int error_ = 0;
  std::array<char, std::size_t{64} * 1024> room_;
};

GzStream::GzStream(std::FILE* to) : deflater_(std::make_unique<Deflater>(to)) {
  cookie_io_functions_t functions{};
  functions.write = [](void* cookie, const char* bytes, std::size_t size) -> ssize_t {
    auto* const deflater = static_cast<Deflater*>(cookie);
    if (deflater->write(bytes, size, Z_NO_FLUSH)) return static_cast<ssize_t>(size);
    errno = deflater->error();
    return 0;
  };
  stream_ = fopencookie(deflater_.get(), "w", functions);
  // Output collects text itself.
  if (stream_ != nullptr) std::setvbuf(stream_, nullptr, _IONBF, 0);
}

GzStream::~GzStream() {
  if (stream_ != nullptr) std::fclose(stream_);
}

int GzStream::finish() { return deflater_->finish(); }

}  // namespace prof::exports
