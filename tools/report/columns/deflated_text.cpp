// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/columns/deflated_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "libprof/base/check.hpp"
#include "libprof/source/base64.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();

class Deflater {
 public:
  Deflater() {
    constexpr int kMemoryLevel = 8;
    // A negative size of the window: without header and checksum.
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&state_); }

  std::string all_of(std::string_view bytes) {
    std::string made(deflateBound(&state_, bytes.size()), '\0');
    std::size_t size = 0;
    int code = Z_OK;
    while (code == Z_OK) {
      const std::size_t in = std::min(bytes.size(), kMostAtOnce);
      const std::size_t room = std::min(made.size() - size, kMostAtOnce);
      // zlib does not write to its input.
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      state_.avail_in = static_cast<uInt>(in);
      state_.next_out = reinterpret_cast<Bytef*>(made.data() + size);
      state_.avail_out = static_cast<uInt>(room);
      code = deflate(&state_, in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
      bytes.remove_prefix(in - state_.avail_in);
      size += room - state_.avail_out;
    }
    PROF_CHECK(code == Z_STREAM_END);
    made.resize(size);
    return made;
  }

 private:
  z_stream state_{};
};

}  // namespace

std::string deflated_text(std::string_view bytes) {
  std::string text;
  append_base64(text, Deflater().all_of(bytes));
  return text;
}

}  // namespace prof::reports
