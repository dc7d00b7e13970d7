// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands about threads, processes, signals and how the program ends.
// clang-format off
//   thread { ... }       threads N { ... }     repeat N { ... }     sleep MILLISECONDS
//   beside { ... }       runs the block on a thread beside what follows, until `join`
//   fork { ... }         the child runs the block and ends by exit(0); the parent waits
//   fork_quick { ... }   the child ends by _exit(0)
//   exec "SCRIPT"        this program again, in this process
//   daemonise            run "SHELL COMMAND"
//   out TEXT    err TEXT    ready    wait_line
//   exit N    quick_exit N    _exit N    thread_exit N    abort    kill N    crash
//   catch N              counts that signal from now on
//   expect_signals N     exits with 65 unless N were caught
//   limit_file BYTES [ignore]   RLIMIT_FSIZE; ignore: SIGXFSZ is ignored
//   close_all            closes descriptors 3 to 1023
//   keep_files N         opens N files own_0, own_1, ... and leaves them open
//   rss_limit MEGABYTES  exits with 66 if the process ever had more memory than that
//   chdir DIR
//   clear_environment
// clang-format on
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runner.hpp"

namespace {

std::atomic<int> caught{0};

int number(const Statement& statement) { return static_cast<int>(count_word(statement, 1, 0)); }

void write_counts(Runner& runner) {
  if (const char* path = std::getenv("APP_COUNTS")) runner.counts.write_json(path);
}

void threads(Runner& runner, const Statement& statement) {
  std::vector<std::thread> all;
  for (std::uint64_t i = 0; i < count_word(statement, 1, 1); ++i) {
    all.emplace_back([&] { runner.run(statement.block); });
  }
  for (std::thread& thread : all) thread.join();
}

std::thread beside;

void run_beside(Runner& runner, const Statement& statement) {
  beside = std::thread([&runner, &statement] { runner.run(statement.block); });
}

void repeat_block(Runner& runner, const Statement& statement) {
  for (std::uint64_t i = 0; i < count_word(statement, 1, 1); ++i) runner.run(statement.block);
}

void sleep_for(Runner&, const Statement& statement) {
  std::this_thread::sleep_for(std::chrono::milliseconds(count_word(statement, 1, 1)));
}

template <bool kQuick>
void fork_block(Runner& runner, const Statement& statement) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("APP_COUNTS");
    runner.counts.close();
    runner.run(statement.block);
    if (kQuick) _exit(0);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) {
    std::printf("child status %d\n", status);
    std::fflush(stdout);
  }
}

void exec_self(Runner& runner, const Statement& statement) {
  std::fflush(nullptr);
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) std::exit(67);
  path[length] = '\0';
  execl(path, runner.program, statement.words.at(1).c_str(), static_cast<char*>(nullptr));
  std::exit(67);
}

void daemonise(Runner&, const Statement&) {
  std::fflush(nullptr);
  if (fork() != 0) _exit(0);
  setsid();
  if (fork() != 0) _exit(0);
}

void run_shell(Runner&, const Statement& statement) {
  std::fflush(nullptr);
  if (std::system(statement.words.at(1).c_str()) != 0) std::exit(68);
}

void out(Runner&, const Statement& statement) {
  std::printf("%s\n", statement.words.at(1).c_str());
  std::fflush(stdout);
}

void err(Runner&, const Statement& statement) {
  std::fprintf(stderr, "%s\n", statement.words.at(1).c_str());
}

void ready(Runner&, const Statement&) {
  std::puts("ready");
  std::fflush(stdout);
}

void wait_line(Runner&, const Statement&) {
  char line[256];
  if (std::fgets(line, sizeof line, stdin) == nullptr) std::exit(69);
}

void thread_exit(Runner& runner, const Statement& statement) {
  std::thread([&] {
    write_counts(runner);
    std::exit(number(statement));
  }).join();
}

void catch_signal(Runner&, const Statement& statement) {
  struct sigaction action {};
  action.sa_handler = [](int) { ++caught; };
  sigaction(number(statement), &action, nullptr);
}

void expect_signals(Runner&, const Statement& statement) {
  if (caught.load() == number(statement)) return;
  std::fprintf(stderr, "caught %d signals, not %d\n", caught.load(), number(statement));
  std::exit(65);
}

void limit_file(Runner&, const Statement& statement) {
  if (statement.words.size() > 2) signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{count_word(statement, 1, 0), count_word(statement, 1, 0)};
  setrlimit(RLIMIT_FSIZE, &limit);
}

void close_all(Runner&, const Statement&) {
  for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
}

void keep_files(Runner&, const Statement& statement) {
  for (std::uint64_t i = 0; i < count_word(statement, 1, 1); ++i) {
    std::FILE* file = std::fopen(("own_" + std::to_string(i)).c_str(), "w");
    if (file == nullptr) std::exit(72);
    std::fputs("mine\n", file);
    std::fflush(file);
  }
}

void rss_limit(Runner&, const Statement& statement) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  unsigned long peak_kb = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "VmHWM:", 6) == 0) peak_kb = std::strtoul(line + 6, nullptr, 10);
  }
  if (file != nullptr) std::fclose(file);
  std::printf("peak %lu MB\n", peak_kb / 1024);
  std::fflush(stdout);
  if (peak_kb / 1024 > count_word(statement, 1, 0)) std::exit(66);
}

}  // namespace

void add_process_commands(CommandTable& table) {
  table["thread"] = [](Runner& runner, const Statement& statement) {
    std::thread([&] { runner.run(statement.block); }).join();
  };
  table["threads"] = threads;
  table["beside"] = run_beside;
  table["join"] = [](Runner&, const Statement&) { beside.join(); };
  table["repeat"] = repeat_block;
  table["sleep"] = sleep_for;
  table["fork"] = fork_block<false>;
  table["fork_quick"] = fork_block<true>;
  table["exec"] = exec_self;
  table["daemonise"] = daemonise;
  table["run"] = run_shell;
  table["out"] = out;
  table["err"] = err;
  table["ready"] = ready;
  table["wait_line"] = wait_line;
  table["exit"] = [](Runner& runner, const Statement& statement) {
    write_counts(runner);
    std::exit(number(statement));
  };
  table["quick_exit"] = [](Runner&, const Statement& statement) {
    std::quick_exit(number(statement));
  };
  table["_exit"] = [](Runner&, const Statement& statement) { _exit(number(statement)); };
  table["thread_exit"] = thread_exit;
  table["abort"] = [](Runner&, const Statement&) { std::abort(); };
  table["kill"] = [](Runner&, const Statement& statement) { kill(getpid(), number(statement)); };
  table["crash"] = [](Runner&, const Statement&) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  };
  table["catch"] = catch_signal;
  table["expect_signals"] = expect_signals;
  table["limit_file"] = limit_file;
  table["close_all"] = close_all;
  table["keep_files"] = keep_files;
  table["rss_limit"] = rss_limit;
  table["clear_environment"] = [](Runner&, const Statement&) { clearenv(); };
  table["chdir"] = [](Runner&, const Statement& statement) {
    if (chdir(statement.words.at(1).c_str()) != 0) std::exit(70);
  };
}
