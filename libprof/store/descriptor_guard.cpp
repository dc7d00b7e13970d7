// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/descriptor_guard.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include "libprof/base/output_file.hpp"

namespace prof {
namespace {

// A descriptor that SQLite opened. inode 0: the slot is free. Plain constant-initialized storage:
// no constructor can run too late and no destructor too early.
struct Slot {
  std::atomic<int> descriptor{-1};
  std::atomic<std::uint64_t> device{0};
  std::atomic<std::uint64_t> inode{0};
};

constexpr std::size_t kSlots = 64;
constinit std::array<Slot, kSlots> slots{};
constinit std::atomic<bool> installed{false};

Slot* find(int descriptor) {
  for (Slot& slot : slots) {
    if (slot.descriptor.load(std::memory_order_acquire) == descriptor) return &slot;
  }
  return nullptr;
}

/// False if the descriptor was SQLite's and now refers to another file, or to none.
bool is_ours(int descriptor) {
  const Slot* const slot = find(descriptor);
  if (slot == nullptr) return true;  // More open files than slots: not guarded.
  const FileIdentity now = identify(descriptor);
  return now.inode == slot->inode.load(std::memory_order_relaxed) &&
         now.device == slot->device.load(std::memory_order_relaxed);
}

int guarded_open(const char* path, int flags, int mode) {
  const int descriptor = open(path, flags | O_CLOEXEC, mode);
  if (descriptor < 0) return descriptor;
  const FileIdentity identity = identify(descriptor);
  Slot* slot = find(descriptor);  // A leftover if the program closed our descriptor.
  if (slot == nullptr) {
    for (Slot& candidate : slots) {
      int unused = -1;
      if (candidate.descriptor.compare_exchange_strong(unused, -2)) {
        slot = &candidate;
        break;
      }
    }
  }
  if (slot != nullptr) {
    slot->device.store(identity.device, std::memory_order_relaxed);
    slot->inode.store(identity.inode, std::memory_order_relaxed);
    slot->descriptor.store(descriptor, std::memory_order_release);
  }
  return descriptor;
}

int guarded_close(int descriptor) {
  const bool ours = is_ours(descriptor);
  if (Slot* const slot = find(descriptor)) slot->descriptor.store(-1, std::memory_order_release);
  return ours ? close(descriptor) : 0;
}

template <typename Result>
Result refuse() {
  errno = EBADF;
  return -1;
}

ssize_t guarded_write(int descriptor, const void* data, std::size_t bytes) {
  return is_ours(descriptor) ? write(descriptor, data, bytes) : refuse<ssize_t>();
}

ssize_t guarded_pwrite(int descriptor, const void* data, std::size_t bytes, off_t offset) {
  return is_ours(descriptor) ? pwrite(descriptor, data, bytes, offset) : refuse<ssize_t>();
}

int guarded_ftruncate(int descriptor, off_t size) {
  return is_ours(descriptor) ? ftruncate(descriptor, size) : refuse<int>();
}

// SQLite passes a pointer (locks) or an int (flags); both travel as one pointer-sized argument.
int guarded_fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return is_ours(descriptor) ? fcntl(descriptor, command, argument) : refuse<int>();
}

template <typename Function>
void set_call(sqlite3_vfs* vfs, const char* name, Function* function) {
  vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
}

}  // namespace

bool is_deleted(const FileIdentity& file) {
  for (const Slot& slot : slots) {
    const int descriptor = slot.descriptor.load(std::memory_order_acquire);
    struct stat info {};
    if (descriptor < 0 || fstat(descriptor, &info) != 0) continue;
    if (FileIdentity{info.st_dev, info.st_ino} == file) return info.st_nlink == 0;
  }
  return true;
}

void install_descriptor_guard() {
  if (installed.exchange(true)) return;
  sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  if (vfs == nullptr || vfs->iVersion < 3) return;
  set_call(vfs, "open", guarded_open);
  set_call(vfs, "close", guarded_close);
  set_call(vfs, "write", guarded_write);
  set_call(vfs, "pwrite", guarded_pwrite);
  set_call(vfs, "pwrite64", guarded_pwrite);
  set_call(vfs, "ftruncate", guarded_ftruncate);
  set_call(vfs, "fcntl", guarded_fcntl);
}

}  // namespace prof
