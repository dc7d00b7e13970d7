// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/late_stderr.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace prof::tools {
namespace {

constexpr const char* kStderr = "/proc/self/fd/2";
constexpr int kPatienceMs = 200;

void drop(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

LateStderr::LateStderr() {
  struct stat info {};
  if (fstat(STDERR_FILENO, &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  if (S_ISREG(info.st_mode)) writer_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (writer_ < 0) path_ = open(kStderr, O_PATH | O_CLOEXEC);
  if (!S_ISFIFO(info.st_mode)) return;
  closings_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  // Watched before it is opened: a writer's end cannot be missed.
  if (closings_ >= 0 && inotify_add_watch(closings_, kStderr, IN_CLOSE_WRITE) >= 0)
    writer_ = open(kStderr, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (writer_ < 0) drop(closings_);
}

LateStderr::~LateStderr() {
  for (int* descriptor : {&path_, &writer_, &closings_}) drop(*descriptor);
}

void LateStderr::take_closings() const {
  alignas(inotify_event) std::array<char, 4096> events;
  while (read(closings_, events.data(), events.size()) > 0) {
  }
}

bool LateStderr::is_held_by(pid_t program) const {
  const std::string folder = "/proc/" + std::to_string(program) + "/fd";
  DIR* const list = opendir(folder.c_str());
  if (list == nullptr) return false;
  bool is_held = false;
  while (const dirent* entry = readdir(list)) {
    struct stat info {};
    is_held = fstatat(dirfd(list), entry->d_name, &info, 0) == 0 && info.st_dev == device_ &&
              info.st_ino == inode_;
    if (is_held) break;
  }
  closedir(list);
  return is_held;
}

void LateStderr::give_up_pipe() {
  drop(writer_);
  drop(closings_);
}

void LateStderr::print(std::string_view text) const {
  int to = writer_;
  if (to < 0 && path_ >= 0) {
    const std::string path = "/proc/self/fd/" + std::to_string(path_);
    to = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
  if (to < 0) return;
  while (!text.empty()) {
    pollfd ready{to, POLLOUT, 0};
    if (poll(&ready, 1, kPatienceMs) <= 0) return;
    const ssize_t written = write(to, text.data(), text.size());
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace prof::tools
