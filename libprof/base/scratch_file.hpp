// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ScratchFile: a file without a name, for data that is sorted on disk. It disappears with the
// process, however the process ends. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libprof/base/result.hpp"

namespace prof {

struct ScratchPlace {
  std::string folder;
  /// The file's name within the folder during the moment that a file system without unnamed files
  /// needs it.
  std::string name;
  /// Advice to the user if there is no space.
  const char* hint = "free some space or write elsewhere";
};

/// The folder in which SQLite also has its temporary files: $SQLITE_TMPDIR, $TMPDIR or /var/tmp,
/// which is on a disk more often than /tmp.
ScratchPlace temporary_place();

class ScratchFile {
 public:
  /// Nothing is created before the first write.
  explicit ScratchFile(ScratchPlace place) : place_(std::move(place)) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  Status append(std::span<const std::byte> bytes);
  /// Reads exactly that many bytes, which must have been appended before.
  Status read(std::uint64_t at, std::span<std::byte> bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  Status open();
  [[nodiscard]] Error error(const char* what, int number) const;

  ScratchPlace place_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace prof
