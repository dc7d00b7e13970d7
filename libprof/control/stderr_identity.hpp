// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The identity of descriptor 2 at some moment. A program may close it and get the number again for
// a file of its own, so a writer must check whether it still is stderr. A duplicate of the
// descriptor would not do: it would outlive a fork and block readers that wait for the end of
// stderr. Any thread.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "libprof/base/clock.hpp"

extern "C" {

struct ProfStderrIdentity {
  std::uint64_t device, inode, special_device;
  std::uint32_t type;    ///< S_IFMT bits; 0: the descriptor was closed.
  std::int64_t seen_ns;  ///< CLOCK_MONOTONIC.
};

/// libprof.so, loaded at the program's start, passes what it saw to the collector, loaded later,
/// through the exported prof_collector_stderr_v1. The earliest identity counts.
using ProfCollectorStderrSetter = void(const ProfStderrIdentity*);

}  // extern "C"

namespace prof {

inline ProfStderrIdentity stderr_identity() noexcept {
  ProfStderrIdentity identity{};
  identity.seen_ns = clock_ns(CLOCK_MONOTONIC);
  struct stat info {};
  if (fstat(STDERR_FILENO, &info) != 0) return identity;
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  identity.special_device = info.st_rdev;
  identity.type = info.st_mode & S_IFMT;  // Not the permissions, which may change.
  return identity;
}

/// Whether both are the same open object.
inline bool is_same_object(const ProfStderrIdentity& a, const ProfStderrIdentity& b) noexcept {
  return a.type != 0 && a.type == b.type && a.device == b.device && a.inode == b.inode &&
         a.special_device == b.special_device;
}

}  // namespace prof
