// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the program, see child.hpp.
#include "tools/run/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>

namespace prof::tools {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<pid_t> child{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// A signal from the terminal (Ctrl-C) has already reached the whole foreground group, including
/// the program.
void forward(int signal, siginfo_t* info, void*) {
  const pid_t to = child.load();
  const int before = errno;
  if (to > 0 && info->si_code <= 0) kill(to, signal);
  errno = before;
}

struct OwnSignal {
  int number;
  decltype(SIG_DFL) own;
};
// With SIGCHLD ignored, waitpid() would return ECHILD whatever happened to the program.
const OwnSignal own_signals[] = {{SIGCHLD, SIG_DFL}, {SIGPIPE, SIG_IGN}, {SIGXFSZ, SIG_IGN}};

/// In the child, after fork: only returns, by way of _exit, if the program could not be started.
[[noreturn]] void become(const std::vector<std::string>& command, const Variables& variables,
                         int errno_pipe, const sigset_t& mask, const OwnSignals& signals) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  signals.give_back();
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(errno_pipe, &error, sizeof error);
  _exit(127);
}

}  // namespace

OwnSignals::OwnSignals() {
  static_assert(std::size(own_signals) == kSignals);
  for (std::size_t i = 0; i < inherited_.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = own_signals[i].own;
    sigaction(own_signals[i].number, &action, &inherited_[i]);
  }
}

void OwnSignals::give_back() const {
  for (std::size_t i = 0; i < inherited_.size(); ++i)
    sigaction(own_signals[i].number, &inherited_[i], nullptr);
}

ChildEnd run_child(const std::vector<std::string>& command, const Variables& variables,
                   const OwnSignals& signals) {
  ChildEnd end;
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    end.start_error = errno;
    end.exit_code = 126;
    return end;
  }
  // Blocked until the handlers know the child's pid. The program inherits this process's mask.
  sigset_t forwarded, before;
  sigemptyset(&forwarded);
  for (int signal : kForwarded) sigaddset(&forwarded, signal);
  sigprocmask(SIG_BLOCK, &forwarded, &before);
  const pid_t pid = fork();
  if (pid == 0) become(command, variables, pipe_ends[1], before, signals);
  const int fork_error = errno;
  close(pipe_ends[1]);
  if (pid < 0) {
    close(pipe_ends[0]);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    end.start_error = fork_error;
    end.exit_code = 126;
    return end;
  }
  child.store(pid);
  for (int signal : kForwarded) {
    // Signals ignored here (nohup) stay ignored in the program.
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);

  int start_error = 0;
  ssize_t bytes = 0;
  do {
    bytes = read(pipe_ends[0], &start_error, sizeof start_error);
  } while (bytes < 0 && errno == EINTR);
  close(pipe_ends[0]);
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0) end.wait_error = errno;
  child.store(0);
  if (bytes == static_cast<ssize_t>(sizeof start_error)) {
    end.start_error = start_error;
    end.exit_code = start_error == ENOENT ? 127 : 126;
  } else if (end.wait_error != 0) {
    end.exit_code = 1;
  } else if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.exit_code = 128 + end.signal;
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace prof::tools
