// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Inspects SQLite's files before SQLite does.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/result.hpp"

namespace prof {

/// The file's header: https://www.sqlite.org/fileformat.html, section 1.3.
namespace db_header {
inline constexpr std::size_t kBytes = 100;
inline constexpr std::size_t kPageSizeAt = 16;
inline constexpr std::size_t kWriteVersionAt = 18;
inline constexpr std::size_t kReadVersionAt = 19;
inline constexpr std::size_t kReservedAt = 20;
inline constexpr std::size_t kChangeCounterAt = 24;
inline constexpr char kRollbackMode = 1;  // of both versions; 2: write-ahead log
}  // namespace db_header

/// Closes the descriptor that it holds.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

/// The error of the last failed call.
inline Error system_error(std::string_view what, const std::string& path) {
  return {std::string(what) + ": " + strerrordesc_np(errno), path, ""};
}

/// Reads up to `bytes` bytes, starting at `offset`.
inline std::string read_at(int descriptor, std::uint64_t offset, std::size_t bytes) {
  std::string read(bytes, '\0');
  const ssize_t got = pread(descriptor, read.data(), bytes, static_cast<off_t>(offset));
  read.resize(static_cast<std::size_t>(got > 0 ? got : 0));
  return read;
}

inline std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

}  // namespace prof
