// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/descriptor_guard.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "libprof/base/output_lock.hpp"
#include "libprof/base/own_descriptors.hpp"

namespace prof {
namespace {

constinit std::atomic<bool> installed{false};

int guarded_open(const char* path, int flags, int mode) {
  const int descriptor = set_apart(open(path, flags | O_CLOEXEC, mode));
  if (descriptor >= 0) remember_own(descriptor);
  return descriptor;
}

template <typename Result>
Result refuse() {
  errno = EBADF;
  return -1;
}

ssize_t guarded_write(int descriptor, const void* data, std::size_t bytes) {
  return is_still_own(descriptor) ? written([&] { return write(descriptor, data, bytes); })
                                  : refuse<ssize_t>();
}

ssize_t guarded_pwrite(int descriptor, const void* data, std::size_t bytes, off_t offset) {
  return is_still_own(descriptor) ? written([&] { return pwrite(descriptor, data, bytes, offset); })
                                  : refuse<ssize_t>();
}

int guarded_ftruncate(int descriptor, off_t size) {
  return is_still_own(descriptor) ? ftruncate(descriptor, size) : refuse<int>();
}

// SQLite passes a pointer (locks) or an int (flags); both travel as one pointer-sized argument.
int guarded_fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (!is_still_own(descriptor)) return refuse<int>();
  const bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  return is_lock ? lock_open_file(descriptor, command, static_cast<struct flock*>(argument))
                 : fcntl(descriptor, command, argument);
}

template <typename Function>
void set_call(sqlite3_vfs* vfs, const char* name, Function* function) {
  vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
}

}  // namespace

void install_descriptor_guard() {
  if (installed.exchange(true)) return;
  sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  if (vfs == nullptr || vfs->iVersion < 3) return;
  set_call(vfs, "open", guarded_open);
  set_call(vfs, "close", close_own);
  set_call(vfs, "write", guarded_write);
  set_call(vfs, "pwrite", guarded_pwrite);
  set_call(vfs, "pwrite64", guarded_pwrite);
  set_call(vfs, "ftruncate", guarded_ftruncate);
  set_call(vfs, "fcntl", guarded_fcntl);
}

}  // namespace prof
