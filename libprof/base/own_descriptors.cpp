// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/own_descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "libprof/base/output_file.hpp"

namespace prof {
namespace {

constexpr int kFree = -1, kBeingTaken = -2;

// Plain constant-initialized storage: no constructor can run too late and no destructor too early.
struct OwnDescriptor {
  std::atomic<int> descriptor{kFree};
  std::atomic<dev_t> device{0};
  std::atomic<ino_t> inode{0};  ///< 0: none; no file has this inode.
};

constinit std::array<OwnDescriptor, 64> own{};
constinit std::atomic<std::uint64_t> writes{0};

OwnDescriptor* find_own(int descriptor) noexcept {
  for (OwnDescriptor& one : own) {
    if (one.descriptor.load(std::memory_order_acquire) == descriptor) return &one;
  }
  return nullptr;
}

OwnDescriptor* take_free() noexcept {
  for (OwnDescriptor& one : own) {
    int free = kFree;
    if (one.descriptor.compare_exchange_strong(free, kBeingTaken)) return &one;
  }
  return nullptr;
}

bool is_same(const OwnDescriptor& one, const FileIdentity& file) noexcept {
  return file.inode != 0 && file.inode == one.inode.load(std::memory_order_relaxed) &&
         file.device == one.device.load(std::memory_order_relaxed);
}

}  // namespace

int set_apart(int descriptor) noexcept {
  constexpr int kUsualLimit = 1024;  // Higher numbers would take a larger table.
  constexpr int kLowest = STDERR_FILENO + 1;
  if (descriptor < 0) return descriptor;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int from =
      std::max(kLowest, static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kUsualLimit) / 4 * 3));
  if (descriptor >= from) return descriptor;
  int apart = fcntl(descriptor, F_DUPFD_CLOEXEC, from);
  if (apart < 0 && descriptor >= kLowest) return descriptor;
  if (apart < 0) apart = fcntl(descriptor, F_DUPFD_CLOEXEC, kLowest);
  const int error = errno;
  close(descriptor);
  errno = error;
  return apart;
}

void remember_own(int descriptor) noexcept {
  const FileIdentity file = identify(descriptor);
  // The entry is a leftover if the program closed the descriptor.
  OwnDescriptor* one = find_own(descriptor);
  if (one == nullptr) one = take_free();
  if (one == nullptr) return;
  one->device.store(file.device, std::memory_order_relaxed);
  one->inode.store(file.inode, std::memory_order_relaxed);
  one->descriptor.store(descriptor, std::memory_order_release);
}

bool is_still_own(int descriptor) noexcept {
  const OwnDescriptor* const one = find_own(descriptor);
  return one == nullptr || is_same(*one, identify(descriptor));
}

int close_own(int descriptor) noexcept {
  const bool is_own = is_still_own(descriptor);
  if (OwnDescriptor* const one = find_own(descriptor)) {
    one->descriptor.store(kFree, std::memory_order_release);
  }
  return is_own ? close(descriptor) : 0;
}

bool is_deleted(const FileIdentity& file) noexcept {
  for (const OwnDescriptor& one : own) {
    const int descriptor = one.descriptor.load(std::memory_order_acquire);
    struct stat info {};
    if (descriptor < 0 || fstat(descriptor, &info) != 0) continue;
    if (FileIdentity{info.st_dev, info.st_ino} == file) return info.st_nlink == 0;
  }
  return true;
}

void close_all_own() noexcept {
  for (OwnDescriptor& one : own) {
    const int descriptor = one.descriptor.load(std::memory_order_acquire);
    if (descriptor < 0) continue;
    if (is_same(one, identify(descriptor))) close(descriptor);
    // The number stays: code that still has it in this process must find that it is not its file.
    one.inode.store(0, std::memory_order_relaxed);
  }
}

std::uint64_t writes_done() noexcept { return writes.load(std::memory_order_relaxed); }

namespace own_descriptors {

void count_write() noexcept { writes.fetch_add(1, std::memory_order_relaxed); }

/// A full disk or a limit is not retried here: the next commit finds out whether it has passed.
bool try_again(int attempt) noexcept {
  constexpr int kAttempts = 3;
  constexpr long kPauseNs = 20'000'000;
  const int why = errno;
  const bool may_pass = why == EIO || why == EAGAIN || why == ESTALE || why == ETIMEDOUT ||
                        why == ENOBUFS || why == ENOMEM;
  if (why == EINTR) return true;
  if (!may_pass || attempt >= kAttempts) return false;
  const timespec pause{0, kPauseNs << attempt};
  nanosleep(&pause, nullptr);
  errno = why;
  return true;
}

}  // namespace own_descriptors
}  // namespace prof
