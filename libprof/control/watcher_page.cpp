// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/watcher_page.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>

namespace prof {
namespace {

using Clock = std::chrono::steady_clock;

std::string page_name(std::string_view run_id) { return "prof-run-" + std::string(run_id); }

void* map_page(int descriptor) {
  void* const page =
      mmap(nullptr, sizeof(WatcherPage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return page == MAP_FAILED ? nullptr : page;
}

}  // namespace

WatcherPage* WatcherPage::create(std::string_view run_id, int& descriptor) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  descriptor = memfd_create(page_name(run_id).c_str(), MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  if (ftruncate(descriptor, sizeof(WatcherPage)) == 0) {
    if (void* const page = map_page(descriptor)) return new (page) WatcherPage;
  }
  close(descriptor);
  return nullptr;
}

WatcherPage* WatcherPage::open(const char* path, std::string_view run_id) {
  // The watcher may be dead and its number another process's: check that the file is the page.
  const std::string expected = "/memfd:" + page_name(run_id) + " (deleted)";
  std::array<char, PATH_MAX> link{};
  const ssize_t bytes = readlink(path, link.data(), link.size());
  if (bytes < 0 || std::string_view(link.data(), static_cast<std::size_t>(bytes)) != expected)
    return nullptr;
  const int descriptor = ::open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* page = map_page(descriptor);
  close(descriptor);
  if (page != nullptr && madvise(page, sizeof(WatcherPage), MADV_DONTFORK) != 0) {
    munmap(page, sizeof(WatcherPage));
    page = nullptr;
  }
  return static_cast<WatcherPage*>(page);
}

void WatcherPage::change(State to) {
  state_.store(to, std::memory_order_release);
  syscall(SYS_futex, &state_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool WatcherPage::wait_while(State state, const Clock::time_point* until) {
  while (state_.load(std::memory_order_acquire) == state) {
    timespec left{};
    if (until != nullptr) {
      const auto ns = std::chrono::nanoseconds(*until - Clock::now()).count();
      if (ns <= 0) return false;
      left = {ns / 1'000'000'000, ns % 1'000'000'000};
    }
    syscall(SYS_futex, &state_, FUTEX_WAIT, state, until != nullptr ? &left : nullptr, nullptr, 0);
  }
  return true;
}

std::string WatcherPage::ask(std::chrono::milliseconds stall_timeout) {
  const Clock::time_point last = Clock::now() + stall_timeout;
  change(kAsked);
  bool is_answered = false;
  while (!is_answered && Clock::now() < last) {
    const bool is_dead = kill(watcher.load(), 0) != 0 && errno == ESRCH;
    const Clock::time_point until = std::min(last, Clock::now() + std::chrono::milliseconds(50));
    is_answered = wait_while(kAsked, &until);
    if (is_dead) break;
  }
  std::string why;
  if (is_answered) why.assign(text_, std::min<std::size_t>(length_, sizeof text_));
  change(kSilent);
  return why;
}

void WatcherPage::wait_until_asked() {
  for (;;) {
    const auto state = static_cast<State>(state_.load(std::memory_order_acquire));
    if (state == kAsked) return;
    wait_while(state, nullptr);
  }
}

void WatcherPage::answer(std::string_view why) {
  length_ = static_cast<std::uint32_t>(std::min(why.size(), sizeof text_));
  std::memcpy(text_, why.data(), length_);
  std::uint32_t asked = kAsked;  // Unless it has stopped waiting.
  if (state_.compare_exchange_strong(asked, kAnswered)) change(kAnswered);
}

}  // namespace prof
