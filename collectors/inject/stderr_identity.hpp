// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What descriptor 2 was at a moment. A program may close it and get the number again for a file of
// its own, so that whoever writes there must know whether it still is stderr. No duplicate of the
// descriptor is kept for that: it would outlive a fork and keep those waiting who read until the
// end of stderr. Any thread.
#pragma once

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

extern "C" {

struct ProfStderrIdentity {
  std::uint64_t device, inode, special_device;
  std::uint32_t type;    ///< S_IFMT bits; 0: the descriptor was closed.
  std::int64_t seen_ns;  ///< CLOCK_MONOTONIC.
};

/// libprof.so, which a program loads at its start, tells the collector, which comes later, what it
/// saw: the exported prof_collector_stderr_v1. The identity that was seen first counts.
using ProfCollectorStderrTeller = void(const ProfStderrIdentity*);

}  // extern "C"

namespace prof::collectors {

inline ProfStderrIdentity stderr_identity() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  ProfStderrIdentity identity{};
  identity.seen_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  struct stat info {};
  if (fstat(STDERR_FILENO, &info) != 0) return identity;
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  identity.special_device = info.st_rdev;
  identity.type = info.st_mode & S_IFMT;  // Not the permissions, which may be changed.
  return identity;
}

/// Both are the same open object.
inline bool is_same_object(const ProfStderrIdentity& a, const ProfStderrIdentity& b) noexcept {
  return a.type != 0 && a.type == b.type && a.device == b.device && a.inode == b.inode &&
         a.special_device == b.special_device;
}

}  // namespace prof::collectors
