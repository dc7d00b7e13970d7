// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/watcher.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "libprof/control/cuda_driver.hpp"
#include "libprof/control/watcher_page.hpp"
#include "tools/common/unicode.hpp"
#include "tools/run/late_stderr.hpp"
#include "tools/run/unnoticed.hpp"

namespace prof::tools {
namespace {

/// For the end of a program that has just closed its stderr, as many do in their exit handlers.
constexpr int kExitingMs = 20;
/// A program that the kernel is taking down, or a driver that is asked, may take as long.
constexpr int kLongestExitMs = 2000;
constexpr unsigned kLongestAnswerSeconds = 10;

/// The kernel takes the process down: its descriptors are closed before its end is reported.
bool is_ending(pid_t program) {
  constexpr unsigned kExiting = 0x4;  // PF_EXITING
  std::ifstream file("/proc/" + std::to_string(program) + "/stat");
  std::string line, skipped;
  if (!std::getline(file, line)) return true;
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  for (int i = 0; i < 6; ++i) fields >> skipped;
  unsigned flags = 0;
  return !(fields >> flags) || (flags & kExiting) != 0;
}

/// A driver may not answer, and nobody waits for this process.
void end_within(unsigned seconds) {
  signal(SIGALRM, SIG_DFL);
  sigset_t alone;
  sigemptyset(&alone);
  sigaddset(&alone, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
  alarm(seconds);
}

std::string explain() {
  if (const auto no_driver = why_no_driver()) return *no_driver;
  return why_driver_fails().value_or(why_perhaps());
}

/// The watcher's life.
class Watch {
 public:
  Watch(pid_t program, int end, LateStderr& late, WatcherPage& page, const ExpectedTrace& expected)
      : program_(program), end_(end), late_(late), page_(page), expected_(expected) {}

  void run() {
    unsetenv("CUDA_INJECTION64_PATH");  // Another tool's, which the driver would load here.
    std::thread([this] {
      page_.wait_until_asked();
      page_.answer(explain());
    }).detach();
    wait_for_end();
    if (page_.is_settled() || was_written(expected_)) return;
    end_within(kLongestAnswerSeconds);
    std::string text = "prof-run: ";
    append_printable(no_trace_line(expected_, explain()), text);
    late_.print(text += '\n');
  }

 private:
  [[nodiscard]] bool has_ended(int within_ms) const {
    pollfd end{end_, POLLIN, 0};
    return poll(&end, 1, within_ms) > 0;
  }

  void wait_for_end() {
    for (;;) {
      std::array<pollfd, 2> waits{{{end_, POLLIN, 0}, {late_.closings(), POLLIN, 0}}};
      if (poll(waits.data(), waits.size(), -1) < 0) continue;
      if (waits[0].revents != 0) return;
      late_.take_closings();
      if (!needs_pipe()) late_.give_up_pipe();
    }
  }

  /// Whether the reader of the pipe waits for the program, or for what is to be said of it now.
  [[nodiscard]] bool needs_pipe() const {
    const auto is_in_use = [this] { return page_.is_asked() || is_ending(program_); };
    if (late_.is_held_by(program_)) return true;
    if (has_ended(is_in_use() ? kLongestExitMs : kExitingMs)) return true;
    return is_in_use() && has_ended(kLongestExitMs);
  }

  pid_t program_;
  int end_;
  LateStderr& late_;
  WatcherPage& page_;
  const ExpectedTrace& expected_;
};

}  // namespace

Watcher::Watcher(const ExpectedTrace& expected, std::string_view run_id) {
  if (!can_leave_unnoticed()) return;
  const pid_t program = getpid();
  const int end = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
  int shared = -1;
  if (end < 0) return;
  WatcherPage* const page = WatcherPage::create(run_id, shared);
  if (page == nullptr) {
    close(end);
    return;
  }
  LateStderr late;
  std::vector<int> kept = {end, shared};
  std::ranges::copy(late.descriptors(), std::back_inserter(kept));
  leave_unnoticed({.kept = std::move(kept),
                   .is_left = [&](pid_t watcher) { page->watcher.store(std::max(watcher, 0)); },
                   .life = [&] { Watch(program, end, late, *page, expected).run(); }});
  close(end);
  close(shared);
  if (const pid_t watcher = page->watcher.load(); watcher != 0) {
    page_ = page;
    where_ = "/proc/" + std::to_string(watcher) + "/fd/" + std::to_string(shared);
  }
}

void Watcher::dismiss() {
  if (page_ != nullptr) page_->settle();
}

}  // namespace prof::tools
