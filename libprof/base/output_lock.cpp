// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Locks of output files, see output_lock.hpp.
#include "libprof/base/output_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

pid_t holder_of(int descriptor) {
  struct flock lock = write_lock();
  if (fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid;
}

Error in_use(const std::string& path, pid_t writer) {
  const std::string who = writer > 0 ? "process " + std::to_string(writer) : "another process";
  return {"is being written by " + who, path, "wait for it to finish, or name another output file"};
}

Error cannot_replace(const std::string& path) {
  return {std::string("cannot replace the file: ") + strerrordesc_np(errno), path,
          "remove it yourself, or name another output file"};
}

Status unlink_pair(const std::string& path) {
  // The journal first: once the name is free, a journal beside it may belong to a new writer.
  if (unlink((path + "-journal").c_str()) != 0 && errno != ENOENT) return cannot_replace(path);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return cannot_replace(path);
  return {};
}

/// Until the descriptor is closed; false: another one has it. An open file description lock: a
/// process lock would clash with others that the process holds.
bool lock_alone(int descriptor) {
  struct flock lock = write_lock();
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool is_at(const std::string& path, int descriptor) {
  const FileIdentity there = identify(path);
  return there.inode != 0 && there == identify(descriptor);
}

/// An open regular file; `may_lock`: opened for writing.
Status remove_open_file(const std::string& path, int descriptor, bool may_lock, bool& moved) {
  const bool taken = may_lock && !lock_alone(descriptor);
  const pid_t writer = taken || !may_lock ? holder_of(descriptor) : 0;
  if (taken || writer != 0) return in_use(path, writer);
  // Even without waiting, another run may have replaced it meanwhile.
  struct stat now {};
  if (lstat(path.c_str(), &now) != 0) return {};
  moved = FileIdentity{now.st_dev, now.st_ino} != identify(descriptor);
  return moved ? Status{} : unlink_pair(path);
}

}  // namespace

pid_t writer_of(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return 0;
  const pid_t writer = holder_of(descriptor);
  close(descriptor);
  return writer;
}

bool lock_output(int descriptor) {
  struct flock lock = write_lock();
  return fcntl(descriptor, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

void remove_unfinished_output(const std::string& path, int descriptor) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; !lock_alone(descriptor); ++attempt) {
    if (attempt == kAttempts) return;
    usleep(1'000);
  }
  if (is_at(path, descriptor)) static_cast<void>(unlink_pair(path));
}

Status remove_finished_output(const std::string& path) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return errno == ENOENT ? Status{} : cannot_replace(path);
    if (S_ISLNK(info.st_mode)) return unlink_pair(path);
    if (!S_ISREG(info.st_mode)) {
      return Error{"exists and is not a regular file", path, "name another output file"};
    }
    bool may_lock = true;
    constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int descriptor = open(path.c_str(), O_RDWR | kFlags);
    if (descriptor < 0 && errno != ENOENT) {
      may_lock = false;
      descriptor = open(path.c_str(), O_RDONLY | kFlags);
      // Not even readable: its writer is unknown, but the folder's permissions decide about
      // removal.
      if (descriptor < 0 && errno == EACCES) return unlink_pair(path);
    }
    if (descriptor < 0) continue;
    bool moved = false;
    Status status = remove_open_file(path, descriptor, may_lock, moved);
    close(descriptor);
    if (!moved) return status;
  }
  return Error{"is constantly being replaced by other processes", path, "name another output file"};
}

}  // namespace prof
