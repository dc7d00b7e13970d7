// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// KeptFiles: the finished files of windows, the oldest of which are removed when all together would
// be larger than the user allows. A file that was moved or replaced meanwhile is the user's: it
// stays, and does not count. One thread at a time, one of our own.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "libprof/base/output_file.hpp"

namespace prof::collectors {

class KeptFiles {
 public:
  /// `max_bytes` 0: all files are kept.
  explicit KeptFiles(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// A window's files are finished; `stream` may be empty. The newest window's files are always
  /// kept.
  void add(const std::string& trace, const std::string& stream);

  /// "the files of 12 of 40 windows were removed, the oldest first, to stay below 2048 MiB"; empty:
  /// none were removed.
  [[nodiscard]] std::string text() const;

 private:
  struct File {
    std::string path;
    FileIdentity identity;
  };
  struct Window {
    File trace, stream;
    std::uint64_t bytes;
  };
  static File file_at(const std::string& path) { return {path, identify(path)}; }
  std::uint64_t max_bytes_, bytes_ = 0, windows_ = 0, removed_ = 0;
  std::deque<Window> kept_;
};

}  // namespace prof::collectors
