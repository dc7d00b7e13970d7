// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands of programs that do legal but odd things, for tests/adversary. Launches made by
// "work" are counted in shared memory (tally.hpp), whatever then becomes of the program.
// clang-format off
//   work NAME [COUNT [PAUSE_US]]          launches of one kernel
//   work_graph GRAPH COUNT NODES          launches of a graph of NODES kernels, captured before
//   at_exit { ... }    at_quick_exit { ... }    exit handlers that run a block
//   last_work library|static COUNT        launches in a library destructor or a static object's
//   leave N                               exit(N), telling the count how far the work was by then
//   exit_main                             main ends by pthread_exit; its threads go on
//   tiny_threads N STACK_KB { ... }       N threads at once with such stacks
//   many_threads N { ... }                N threads, as many at once as the machine allows
//   detached { ... }                      a thread that nobody joins
//   spawn "SCRIPT"    vfork "SCRIPT"      this program again, by posix_spawn and vfork; waited for
//   limit WHAT VALUE                      setrlimit of nofile, fsize, as, nproc, core or stack
//   foreign N FILE                        closes descriptor N and gets it back as FILE with "mine"
//   close N    dup_low FILE               closes one; puts FILE over 3 to 40
//   say_to N TEXT                         writes a line to descriptor N
//   null_std                              0, 1 and 2 become /dev/null, as daemons do
//   clear_env    become UID    jail DIR   clearenv; setresuid; chroot
//   plugin LIBRARY TIMES                  loads a library that annotates, uses and unloads it
//   same_exec N "SCRIPT"                  runs itself by exec N times, then the script
// clang-format on
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "runner.hpp"
#include "tally.hpp"

extern char** environ;

Tally& tally() {
  static Tally* the = new Tally;
  return *the;
}

namespace {

constexpr standin::Size3 kOneBlock{1, 1, 1}, kOneWarp{32, 1, 1};

bool launch_once(const standin::Driver& driver, const char* name) {
  tally().begin();
  const bool done = driver.launch(standin::Door::kRuntime, name, kOneBlock, kOneWarp, 7) == 0;
  tally().end(done);
  return done;
}

void work(Runner& runner, const Statement& statement) {
  const standin::Driver* driver = runner.driver();
  const std::uint64_t count = count_word(statement, 2, 1), pause_us = count_word(statement, 3, 0);
  const timespec pause{0, static_cast<long>(pause_us * 1000)};
  for (std::uint64_t i = 0; driver != nullptr && i < count; ++i) {
    launch_once(*driver, statement.words.at(1).c_str());
    if (pause_us != 0) nanosleep(&pause, nullptr);
  }
}

void work_graph(Runner& runner, const Statement& statement) {
  const standin::Driver* driver = runner.driver();
  if (driver == nullptr) return;
  ScriptGraph& graph = runner.graph(statement.words.at(1));
  if (graph.executable == nullptr) driver->graphs.instantiate(graph.graph, &graph.executable, 0);
  const std::uint64_t nodes = count_word(statement, 3, 1);
  for (std::uint64_t i = 0; i < count_word(statement, 2, 1); ++i) {
    tally().begin(nodes);
    tally().end(driver->graphs.launch(graph.executable) == 0, nodes);
  }
}

// What an exit handler runs: the handlers take no argument.
struct Later {
  Runner* runner = nullptr;
  std::vector<Statement> block;
};
Later& later(bool quick) {
  static auto* both = new Later[2];
  return both[quick ? 1 : 0];
}

void at_exit(Runner& runner, const Statement& statement) {
  later(false) = {&runner, statement.block};
  std::atexit([] { later(false).runner->run(later(false).block); });
}

void at_quick(Runner& runner, const Statement& statement) {
  later(true) = {&runner, statement.block};
  std::at_quick_exit([] { later(true).runner->run(later(true).block); });
}

struct LastWork {
  std::atomic<const standin::Driver*> driver{nullptr};
  std::uint64_t count = 0;
  void make(const char* name) {
    const standin::Driver* use = driver.exchange(nullptr);
    for (std::uint64_t i = 0; use != nullptr && i < count; ++i) launch_once(*use, name);
  }
};
LastWork of_library;
struct Static : LastWork {
  ~Static() { make("in_static_destructor"); }
} of_static;

void last_work(Runner& runner, const Statement& statement) {
  LastWork& which = statement.words.at(1) == "static" ? of_static : of_library;
  which.count = count_word(statement, 2, 1);
  which.driver = runner.driver();
}

__attribute__((destructor)) void on_end() { of_library.make("in_destructor"); }

/// ODD_CONSTRUCTOR=exit: a program that works and ends before main.
__attribute__((constructor)) void on_start() {
  tally().open();
  const char* what = std::getenv("ODD_CONSTRUCTOR");
  if (what == nullptr) return;
  auto* runner = new Runner;
  runner->run(parse_script("push before_main; work k 50; pop; sync"));
  if (std::strcmp(what, "exit") == 0) std::exit(9);
}

struct Task {
  Runner* runner;
  const std::vector<Statement>* block;
};

void* run_task(void* argument) {
  const Task* task = static_cast<Task*>(argument);
  // A small stack's handlers run elsewhere, as in programs with small stacks.
  char* other = static_cast<char*>(std::malloc(static_cast<std::size_t>(SIGSTKSZ)));
  stack_t stack{};
  stack.ss_sp = other;
  stack.ss_size = static_cast<std::size_t>(SIGSTKSZ);
  sigaltstack(&stack, nullptr);
  task->runner->run(*task->block);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  std::free(other);
  return nullptr;
}

/// Where no further thread is given, those that run are waited for first.
void start_threads(Runner& runner, const Statement& statement, std::uint64_t stack_kb) {
  Task task{&runner, &statement.block};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_kb * 1024);
  std::vector<pthread_t> running;
  const auto join = [&running] {
    for (const pthread_t thread : running) pthread_join(thread, nullptr);
    running.clear();
  };
  for (std::uint64_t i = 0; i < count_word(statement, 1, 1); ++i) {
    pthread_t thread{};
    int status = pthread_create(&thread, &attributes, run_task, &task);
    if (status == EAGAIN && !running.empty()) {
      join();
      status = pthread_create(&thread, &attributes, run_task, &task);
    }
    if (status != 0) std::exit(75);
    running.push_back(thread);
  }
  join();
  pthread_attr_destroy(&attributes);
}

void spawn(Runner& runner, const Statement& statement) {
  std::string script = statement.words.at(1);
  char* arguments[] = {const_cast<char*>(runner.program), script.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, runner.program, nullptr, nullptr, arguments, environ) != 0) std::exit(76);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("spawned: %d\n", status);
}

void spawn_by_vfork(Runner& runner, const Statement& statement) {
  std::string script = statement.words.at(1);
  char* arguments[] = {const_cast<char*>(runner.program), script.data(), nullptr};
  const pid_t child = vfork();
  if (child == 0) {
    execv(arguments[0], arguments);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("vforked: %d\n", status);
}

void limit(Runner&, const Statement& statement) {
  static const std::map<std::string_view, __rlimit_resource> kinds = {
      {"nofile", RLIMIT_NOFILE}, {"fsize", RLIMIT_FSIZE}, {"as", RLIMIT_AS},
      {"nproc", RLIMIT_NPROC},   {"core", RLIMIT_CORE},   {"stack", RLIMIT_STACK}};
  const rlimit value{count_word(statement, 2, 0), count_word(statement, 2, 0)};
  if (setrlimit(kinds.at(statement.words.at(1)), &value) != 0) std::exit(77);
}

void write_line(int descriptor, const std::string& text) {
  const std::string line = text + "\n";
  if (write(descriptor, line.data(), line.size()) < 0) std::exit(78);
}

void foreign(Runner&, const Statement& statement) {
  const int wanted = static_cast<int>(count_word(statement, 1, 2));
  close(wanted);
  const int file = open(statement.words.at(2).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file != wanted) std::exit(79);
  write_line(file, "mine");
}

void dup_low(Runner&, const Statement& statement) {
  const int file = open(statement.words.at(1).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int low = 3; low <= 40; ++low) {
    if (low != file) dup2(file, low);
  }
  write_line(20, "mine");
}

void null_std(Runner&, const Statement&) {
  const int null = open("/dev/null", O_RDWR);
  for (int low = 0; low < 3; ++low) dup2(null, low);
  if (null > 2) close(null);
}

void use_plugin(Runner&, const Statement& statement) {
  for (std::uint64_t i = 0; i < count_word(statement, 2, 1); ++i) {
    void* library = dlopen(statement.words.at(1).c_str(), RTLD_NOW);
    if (library == nullptr) std::exit(80);
    reinterpret_cast<void (*)()>(dlsym(library, "annotate"))();
    dlclose(library);
  }
}

void same_exec(Runner& runner, const Statement& statement) {
  const std::uint64_t left = count_word(statement, 1, 0);
  const std::string& last = statement.words.at(2);
  const std::string next =
      left == 0 ? last
                : "work k 5; sync; same_exec " + std::to_string(left - 1) + " \"" + last + "\"";
  std::fflush(nullptr);
  execl(runner.program, runner.program, next.c_str(), static_cast<char*>(nullptr));
  std::exit(81);
}

}  // namespace

void add_odd_commands(CommandTable& table) {
  table["work"] = work;
  table["work_graph"] = work_graph;
  table["at_exit"] = at_exit;
  table["at_quick_exit"] = at_quick;
  table["last_work"] = last_work;
  table["leave"] = [](Runner&, const Statement& statement) {
    tally().leave();
    std::exit(static_cast<int>(count_word(statement, 1, 0)));
  };
  table["exit_main"] = [](Runner&, const Statement&) { pthread_exit(nullptr); };
  table["tiny_threads"] = [](Runner& runner, const Statement& statement) {
    start_threads(runner, statement, count_word(statement, 2, 16));
  };
  table["many_threads"] = [](Runner& runner, const Statement& statement) {
    start_threads(runner, statement, 256);
  };
  table["detached"] = [](Runner& runner, const Statement& statement) {
    std::thread([&runner, block = statement.block] { runner.run(block); }).detach();
  };
  table["spawn"] = spawn;
  table["vfork"] = spawn_by_vfork;
  table["limit"] = limit;
  table["foreign"] = foreign;
  table["close"] = [](Runner&, const Statement& statement) {
    close(static_cast<int>(count_word(statement, 1, 0)));
  };
  table["dup_low"] = dup_low;
  table["say_to"] = [](Runner&, const Statement& statement) {
    write_line(static_cast<int>(count_word(statement, 1, 1)), statement.words.at(2));
  };
  table["null_std"] = null_std;
  table["clear_env"] = [](Runner&, const Statement&) { clearenv(); };
  table["become"] = [](Runner&, const Statement& statement) {
    const auto id = static_cast<uid_t>(count_word(statement, 1, 65534));
    if (setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0) std::exit(82);
  };
  table["jail"] = [](Runner&, const Statement& statement) {
    if (chroot(statement.words.at(1).c_str()) != 0 || chdir("/") != 0) std::exit(83);
  };
  table["plugin"] = use_plugin;
  table["same_exec"] = same_exec;
}
