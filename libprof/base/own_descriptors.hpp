// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The descriptors of files that are written from inside a profiled program. The program may close
// every descriptor (daemons do) and then open files of its own under the same numbers, so before
// each use the file behind the number is compared with the one that was opened. Any thread; no
// memory is allocated and no lock taken, so a forked child may call it, too.
#pragma once

#include <cstdint>

namespace prof {

struct FileIdentity;

/// Moves a new descriptor, close-on-exec, to a high number, out of the program's way: the program
/// gets the lowest free numbers for its files, as it would without the profiler, and puts its own
/// over them. -1, with errno: only a standard stream's number was left, or the descriptor was -1.
[[nodiscard]] int set_apart(int descriptor) noexcept;

/// Remembers which file the descriptor refers to. Beyond the number of files that a capture has,
/// descriptors are not remembered, and count as unchanged.
void remember_own(int descriptor) noexcept;
/// False: the descriptor was remembered and now refers to another file, or to none.
[[nodiscard]] bool is_still_own(int descriptor) noexcept;
/// Closes the descriptor, unless it no longer refers to its file.
int close_own(int descriptor) noexcept;
/// Whether a remembered descriptor's file is unlinked from every folder. Also true if none refers
/// to the file: its contents are unreachable.
[[nodiscard]] bool is_deleted(const FileIdentity& file) noexcept;

/// Called in a forked child: closes all descriptors, which keep the parent's locks, and never
/// touches them again.
void close_all_own() noexcept;

/// Calls `write()`, which returns the number of bytes written or -1, and repeats it after a short
/// while if it failed for a reason that may pass.
template <typename Write>
auto written(Write write) noexcept;
/// Grows with each write that succeeds, in any file.
[[nodiscard]] std::uint64_t writes_done() noexcept;

namespace own_descriptors {
/// Whether another attempt is worthwhile, after waiting; errno is kept.
[[nodiscard]] bool try_again(int attempt) noexcept;
void count_write() noexcept;
}  // namespace own_descriptors

template <typename Write>
auto written(Write write) noexcept {
  for (int attempt = 0;; ++attempt) {
    const auto result = write();
    if (result >= 0) {
      own_descriptors::count_write();
      return result;
    }
    if (!own_descriptors::try_again(attempt)) return result;
  }
}

}  // namespace prof
