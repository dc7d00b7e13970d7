// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/output_lock.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "libprof/base/output_file.hpp"

namespace prof {
namespace {

// https://www.sqlite.org/src/file?name=src/os.h: PENDING_BYTE, RESERVED_BYTE, SHARED_FIRST.
constexpr off_t kLockStart = 0x40000000;
constexpr off_t kLockBytes = 512;

struct flock write_lock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockStart;
  lock.l_len = kLockBytes;
  return lock;
}

int command_for_open_files(int command) {
  if (command == F_SETLK) return F_OFD_SETLK;
  return command == F_SETLKW ? F_OFD_SETLKW : F_OFD_GETLK;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// Calls visit(name) for each entry whose name is a number, until it returns true.
template <typename Visit>
bool any_number_in(const std::string& folder, Visit visit) {
  const std::unique_ptr<DIR, CloseFolder> entries(opendir(folder.c_str()));
  if (!entries) return false;
  while (const dirent* const entry = readdir(entries.get())) {
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && visit(entry->d_name)) return true;
  }
  return false;
}

/// Whether a descriptor's description in /proc shows a lock of an open file.
bool holds_lock(const std::string& description) {
  char text[2048];
  const int file = open(description.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t bytes = read(file, text, sizeof text);
  close(file);
  return bytes > 0 && std::string_view(text, static_cast<std::size_t>(bytes)).find("OFDLCK") !=
                          std::string_view::npos;
}

/// Searches for the process, which the system does not name for such a lock. -1: none of the
/// processes that may be inspected has it.
pid_t process_that_locks(const FileIdentity& file) {
  pid_t found = -1;
  any_number_in("/proc", [&](const char* process) {
    const std::string its = std::string("/proc/") + process;
    const bool has = any_number_in(its + "/fd", [&](const char* descriptor) {
      struct stat info {};
      const std::string path = its + "/fd/" + descriptor;
      return stat(path.c_str(), &info) == 0 && FileIdentity{info.st_dev, info.st_ino} == file &&
             holds_lock(its + "/fdinfo/" + descriptor);
    });
    if (has) found = static_cast<pid_t>(std::atol(process));
    return has;
  });
  return found;
}

}  // namespace

int lock_open_file(int descriptor, int command, struct flock* lock) {
  struct flock own = *lock;
  own.l_pid = 0;  // Required by the system.
  const int result = fcntl(descriptor, command_for_open_files(command), &own);
  if (result != 0 && errno == EINVAL) return fcntl(descriptor, command, lock);
  *lock = own;
  return result;
}

bool lock_output(int descriptor) {
  struct flock lock = write_lock();
  return lock_open_file(descriptor, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

pid_t writer_of(int descriptor) {
  struct flock lock = write_lock();
  if (lock_open_file(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid > 0 ? lock.l_pid : process_that_locks(identify(descriptor));
}

pid_t writer_of(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return 0;
  const pid_t writer = writer_of(descriptor);
  close(descriptor);
  return writer;
}

std::string name_of_writer(pid_t writer) {
  return writer > 0 ? "process " + std::to_string(writer) : "another process";
}

}  // namespace prof
