// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands of programs whose signal handlers annotate or launch, for tests/adversary. A
// handler that interrupts CUDA itself must not call CUDA, so the thread that is interrupted by a
// launching handler only annotates.
// clang-format off
//   storm WHAT COUNT PERIOD_US [{ ... }]   repeats the block, or calls of NVTX alone, until COUNT
//        signals of a timer were handled; WHAT the handler does: push (and pop), mark, domain (makes
//        one), register (a string), start (and end), launch (one kernel, annotated), none
//   jump WHAT COUNT PERIOD_US { ... }    the handler does it and leaves by siglongjmp
//   raise N                              that signal for the calling thread
//   signals FILE                         writes there which signals are blocked and ignored
//   in_handler WHAT SIGNAL               from now on that signal's handler does it
// clang-format on
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "runner.hpp"
#include "tally.hpp"
#include "thread_timer.hpp"

namespace {

std::atomic<const standin::Driver*> driver_of_handler{nullptr};
std::atomic<std::uint64_t> handled{0};
std::atomic<bool> leaves_by_jump{false};
sigjmp_buf place;

void push_and_pop() {
  nvtxRangePushA("in handler");
  nvtxRangePop();
}
void mark_in_handler() { nvtxMarkA("in handler"); }
void make_domain() { nvtxDomainCreateA("made in handler"); }
void register_string() { nvtxDomainRegisterStringA(nullptr, "registered in handler"); }
void start_and_end() { nvtxRangeEnd(nvtxRangeStartA("in handler")); }
void nothing() {}

void launch_in_handler() {
  const standin::Driver* driver = driver_of_handler;
  if (driver == nullptr) return;
  nvtxRangePushA("launch in handler");
  tally().begin();
  tally().end(driver->launch(standin::Door::kRuntime, "in_handler", {}, {}, 7) == 0);
  nvtxRangePop();
}

using Deed = void (*)();
std::atomic<Deed> deed{nothing};

void choose(Runner& runner, const std::string& word) {
  static const std::map<std::string_view, Deed> deeds = {
      {"push", push_and_pop},   {"mark", mark_in_handler},
      {"domain", make_domain},  {"register", register_string},
      {"start", start_and_end}, {"launch", launch_in_handler},
      {"none", nothing}};
  deed = deeds.at(word);
  if (word == "launch") driver_of_handler = runner.driver();
}

void on_signal(int) {
  const int before = errno;
  deed.load()();
  ++handled;
  tally().handled();
  errno = before;
  if (leaves_by_jump) siglongjmp(place, 1);
}

void listen_for(int signal) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

/// Nothing but NVTX: no memory is asked for, so that a handler may.
void annotate() {
  for (int i = 0; i < 20; ++i) {
    nvtxRangePushA("interrupted");
    nvtxMarkA("interrupted");
    nvtxRangePop();
  }
  const timespec pause{0, 20'000};
  nanosleep(&pause, nullptr);
}

void storm(Runner& runner, const Statement& statement) {
  choose(runner, statement.words.at(1));
  listen_for(SIGALRM);
  const std::uint64_t until = handled + count_word(statement, 2, 1000);
  const ThreadTimer timer;
  timer.set(count_word(statement, 3, 100), count_word(statement, 3, 100));
  while (handled < until) {
    if (statement.block.empty()) {
      annotate();
    } else {
      runner.run(statement.block);
    }
  }
}

/// A timer for one signal each round: the jump must not leave a round's own work half done, so what
/// is interrupted is one call that needs no end.
void jump(Runner& runner, const Statement& statement) {
  choose(runner, statement.words.at(1));
  listen_for(SIGALRM);
  leaves_by_jump = true;
  const std::uint64_t until = handled + count_word(statement, 2, 1000);
  const ThreadTimer timer;
  while (handled < until) {
    if (sigsetjmp(place, 1) != 0) continue;
    timer.set(count_word(statement, 3, 200), 0);
    for (;;) {
      nvtxMarkA("to be left");
      nvtxRangePushA("to be left");
      nvtxRangePop();
    }
  }
  leaves_by_jump = false;
}

void write_signals(Runner&, const Statement& statement) {
  std::FILE* from = std::fopen("/proc/self/status", "r");
  std::FILE* to = std::fopen(statement.words.at(1).c_str(), "w");
  if (from == nullptr || to == nullptr) std::exit(84);
  char line[256];
  while (std::fgets(line, sizeof line, from) != nullptr) {
    if (std::strncmp(line, "SigBlk", 6) == 0 || std::strncmp(line, "SigIgn", 6) == 0)
      std::fputs(line, to);
  }
  std::fclose(from);
  std::fclose(to);
}

}  // namespace

void add_odd_signal_commands(CommandTable& table) {
  table["storm"] = storm;
  table["jump"] = jump;
  table["raise"] = [](Runner&, const Statement& statement) {
    pthread_kill(pthread_self(), static_cast<int>(count_word(statement, 1, SIGUSR1)));
  };
  table["signals"] = write_signals;
  table["in_handler"] = [](Runner& runner, const Statement& statement) {
    choose(runner, statement.words.at(1));
    listen_for(static_cast<int>(count_word(statement, 2, SIGUSR1)));
  };
}
