// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/unnoticed.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace prof::tools {
namespace {

/// An orphan would become the program's child.
bool inherits_orphans() {
  int is_subreaper = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  return getpid() == 1 || is_subreaper != 0;
}

/// As a shell's background jobs: their ends are the program's to wait for.
bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// fork(), of which the program learns neither by a signal nor, without children, by a usage.
class UnnoticedFork {
 public:
  UnnoticedFork() : end_signal_(has_children() ? 0 : SIGCHLD) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    // All that end meanwhile are forgotten.
    if (end_signal_ != 0) sigaction(SIGCHLD, &ignore, &inherited_);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask_);
    child_ =
        static_cast<pid_t>(syscall(SYS_clone, end_signal_, nullptr, nullptr, nullptr, nullptr));
  }
  UnnoticedFork(const UnnoticedFork&) = delete;
  UnnoticedFork& operator=(const UnnoticedFork&) = delete;
  /// Waits for the child's end.
  ~UnnoticedFork() {
    while (child_ > 0 && waitpid(child_, nullptr, __WALL) < 0 && errno == EINTR) {
    }
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
    if (end_signal_ != 0) sigaction(SIGCHLD, &inherited_, nullptr);
  }
  [[nodiscard]] bool is_child() const { return child_ == 0; }

 private:
  int end_signal_;
  struct sigaction inherited_ {};
  sigset_t mask_{};
  pid_t child_ = -1;
};

bool close_all_but(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned from = 0;
  for (const int number : kept) {
    if (number < 0) continue;
    const auto next = static_cast<unsigned>(number);
    if (next > from && close_range(from, next - 1, 0) != 0) return false;
    from = next + 1;
  }
  return close_range(from, ~0U, 0) == 0;
}

/// Fills the closed ones of descriptors 0, 1 and 2. Otherwise a file that the driver opens could
/// become one of them, and receive what is printed.
void open_null() {
  while (true) {
    const int null = open("/dev/null", O_RDWR);
    if (null > STDERR_FILENO) close(null);
    if (null < 0 || null > STDERR_FILENO) return;
  }
}

}  // namespace

bool can_leave_unnoticed() { return !inherits_orphans(); }

void leave_unnoticed(Unnoticed process) {
  const UnnoticedFork fork_once;
  if (!fork_once.is_child()) return;
  if (setsid() < 0 || chdir("/") != 0 || !close_all_but(std::move(process.kept))) _exit(0);
  open_null();
  if (const pid_t left = fork(); left != 0) {
    if (process.is_left) process.is_left(left);
    _exit(0);
  }
  // An exception must not unwind into the life of prof-run, of which this process is a copy.
  [&]() noexcept { process.life(); }();
  _exit(0);
}

}  // namespace prof::tools
