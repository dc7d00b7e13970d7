// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GzStream: a stream whose bytes reach another one gzip-compressed. One thread.
#pragma once

#include <cstdio>
#include <memory>

namespace prof::exports {

class GzStream {
 public:
  /// Does not own `to`, which must outlive it.
  explicit GzStream(std::FILE* to);
  GzStream(const GzStream&) = delete;
  GzStream& operator=(const GzStream&) = delete;
  ~GzStream();

  /// Null: no memory.
  [[nodiscard]] std::FILE* stream() const { return stream_; }
  /// Writes what is left. Returns errno of the first failed write, or 0.
  int finish();

 private:
  class Deflater;

  std::unique_ptr<Deflater> deflater_;
  std::FILE* stream_ = nullptr;
};

}  // namespace prof::exports
