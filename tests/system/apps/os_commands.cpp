// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands that block in libc, for tests of --trace osrt. What a command counts as os_calls
// is exact: a call that surely lasts longer than 1 ms, by name.
// clang-format off
//   nap N MS            N calls of nanosleep
//   wait_calls N        N calls each of poll, select, read, usleep, sem_timedwait,
//                       pthread_cond_timedwait, pthread_mutex_clocklock
//   blocked KIND        a thread that waits for ever: read, poll, sleep, cond, sem, join
//   cancel KIND N       such threads, cancelled one by one: each unwinds, and runs its handler
//   cancel_anywhere N   threads that may be cancelled at any instruction, in a loop of short calls
//   libc_contract       status 84 unless errno, results, modes and locks are what libc promises
//   call_storm N US     a timer's handler writes to a pipe while this thread reads and writes
//   jump_from KIND N    handlers that leave a blocked call by siglongjmp
//   vfork_calls "SCRIPT"   a child of vfork that opens, writes, closes, sleeps, and then executes this program
//   make_keys N         N thread-specific keys
//   lock_fight N        N threads that hold a lock for 2 ms each, one after the other
//   call_rate N         prints what a short call costs: ns of a write, of a free lock taken and released
// clang-format on
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runner.hpp"
#include "thread_timer.hpp"

namespace {

constexpr timespec kShort{0, 3'000'000};

[[noreturn]] void fail(int status, const char* what) {
  std::fprintf(stderr, "%s\n", what);
  _exit(status);
}

/// A pause that no test counts.
void rest(const timespec& time) { clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr); }

timespec after(clockid_t clock, long ns) {
  timespec time{};
  clock_gettime(clock, &time);
  time.tv_nsec += ns;
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

void nap(Runner& runner, const Statement& statement) {
  const std::uint64_t count = count_word(statement, 1, 1), ms = count_word(statement, 2, 1);
  const timespec time{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1'000'000};
  for (std::uint64_t i = 0; i < count; ++i) nanosleep(&time, nullptr);
  runner.counts.add("os_calls", "nanosleep", count);
}

void make_keys(Runner& /*runner*/, const Statement& statement) {
  for (std::uint64_t i = count_word(statement, 1, 1); i > 0; --i) {
    pthread_key_t key{};
    if (pthread_key_create(&key, nullptr) != 0) fail(84, "no key");
  }
}

void wait_calls(Runner& runner, const Statement& statement) {
  const std::uint64_t count = count_word(statement, 1, 1);
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  int ends[2];
  if (pipe(ends) != 0) fail(84, "no pipe");
  for (std::uint64_t i = 0; i < count; ++i) {
    poll(nullptr, 0, 3);
    timeval time{0, 3000};
    select(0, nullptr, nullptr, nullptr, &time);
    usleep(3000);
    timespec until = after(CLOCK_REALTIME, 3'000'000);
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&condition, &lock, &until);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    until = after(CLOCK_MONOTONIC, 3'000'000);
    pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&lock);
    until = after(CLOCK_REALTIME, 3'000'000);
    sem_timedwait(&semaphore, &until);
    // Another thread writes later.
    pthread_t writer{};
    const auto write_late = [](void* to) -> void* {
      const timespec late = after(CLOCK_MONOTONIC, 4'000'000);
      while (true) {
        const timespec now = after(CLOCK_MONOTONIC, 0);
        if (now.tv_sec > late.tv_sec || (now.tv_sec == late.tv_sec && now.tv_nsec > late.tv_nsec))
          break;
      }
      if (write(*static_cast<int*>(to), "x", 1) != 1) fail(84, "no write");
      return nullptr;
    };
    pthread_create(&writer, nullptr, write_late, &ends[1]);
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) fail(84, "no read");
    pthread_join(writer, nullptr);
  }
  for (const char* name : {"poll", "select", "usleep", "pthread_cond_timedwait",
                           "pthread_mutex_clocklock", "sem_timedwait", "read"}) {
    runner.counts.add("os_calls", name, count);
  }
  close(ends[0]);
  close(ends[1]);
}

/// A thread in a call that does not return.
struct Waiter {
  std::string kind;
  std::atomic<int> unwound{0};
  int ends[2] = {-1, -1};
  pthread_mutex_t lock{};
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  sem_t semaphore{};
  pthread_t other{};

  explicit Waiter(std::string what) : kind(std::move(what)) {
    if (pipe(ends) != 0) fail(84, "no pipe");
    pthread_mutexattr_t checked;
    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &checked);
    sem_init(&semaphore, 0, 0);
  }

  void wait() {
    char byte = 0;
    if (kind == "read") {
      if (read(ends[0], &byte, 1) >= 0) fail(85, "read came back");
    } else if (kind == "poll") {
      poll(nullptr, 0, -1);
    } else if (kind == "sleep") {
      sleep(1000);
    } else if (kind == "cond") {
      pthread_mutex_lock(&lock);
      pthread_cond_wait(&condition, &lock);
    } else if (kind == "sem") {
      sem_wait(&semaphore);
    } else if (kind == "join") {
      const auto for_ever = [](void*) -> void* {
        for (;;) pause();
      };
      pthread_create(&other, nullptr, for_ever, nullptr);
      pthread_join(other, nullptr);
    } else {
      fail(84, "no such kind of call");
    }
  }

  static void unwind(void* self) {
    auto& waiter = *static_cast<Waiter*>(self);
    // A cancelled wait for a condition holds its lock again.
    if (waiter.kind == "cond" && pthread_mutex_unlock(&waiter.lock) != 0) fail(85, "lock not held");
    ++waiter.unwound;
  }

  static void* run(void* self) {
    pthread_cleanup_push(unwind, self);
    static_cast<Waiter*>(self)->wait();
    pthread_cleanup_pop(0);
    return nullptr;
  }
};

void blocked(Runner&, const Statement& statement) {
  auto* waiter = new Waiter(statement.words.at(1));
  pthread_t thread{};
  pthread_create(&thread, nullptr, Waiter::run, waiter);
  pthread_detach(thread);
  rest(kShort);
}

void cancel(Runner&, const Statement& statement) {
  for (std::uint64_t i = 0; i < count_word(statement, 2, 1); ++i) {
    Waiter waiter(statement.words.at(1));
    pthread_t thread{};
    pthread_create(&thread, nullptr, Waiter::run, &waiter);
    rest(kShort);
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) fail(85, "a thread was not cancelled");
    if (waiter.unwound != 1) fail(85, "a handler did not run once");
    if (waiter.other != 0) {
      pthread_cancel(waiter.other);
      pthread_join(waiter.other, nullptr);
    }
    close(waiter.ends[0]);
    close(waiter.ends[1]);
  }
}

void cancel_anywhere(Runner&, const Statement& statement) {
  const auto call = [](void*) -> void* {
    const int null = open("/dev/null", O_WRONLY);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    for (;;) {
      if (write(null, "x", 1) != 1) fail(85, "no write");
    }
  };
  for (std::uint64_t i = 0; i < count_word(statement, 1, 1); ++i) {
    pthread_t thread{};
    pthread_create(&thread, nullptr, call, nullptr);
    const timespec pause{0, 200'000 + static_cast<long>(i % 50) * 1'000};
    rest(pause);
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) fail(85, "a thread was not cancelled");
  }
}

void listen(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGALRM, &action, nullptr);
}

#define EXPECT(condition) \
  if (!(condition)) fail(84, "not so: " #condition)

void errno_contract() {
  char byte = 0;
  errno = 0;
  EXPECT(read(-1, &byte, 1) == -1 && errno == EBADF);
  EXPECT(open("/nowhere/at/all", O_RDONLY) == -1 && errno == ENOENT);
  EXPECT(close(-1) == -1 && errno == EBADF);
  EXPECT(ioctl(-1, FIONREAD, &byte) == -1 && errno == EBADF);
  EXPECT(std::fopen("/nowhere/at/all", "r") == nullptr && errno == ENOENT);
  listen([](int) {}, 0);
  const ThreadTimer timer;
  timespec left{};
  const timespec long_time{5, 0};
  timer.set(5'000, 0);
  EXPECT(nanosleep(&long_time, &left) == -1 && errno == EINTR && left.tv_sec == 4);
  timer.set(5'000, 0);
  EXPECT(poll(nullptr, 0, 5'000) == -1 && errno == EINTR);
  timer.set(5'000, 0);
  EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, nullptr) == EINTR);
  timer.set(5'000, 0);
  EXPECT(pause() == -1 && errno == EINTR);
}

void success_keeps_errno(int file) {
  errno = 123;
  EXPECT(write(file, "x", 1) == 1 && errno == 123);
  rest(kShort);
  EXPECT(errno == 123);
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  EXPECT(pthread_mutex_lock(&lock) == 0 && errno == 123);
  const timespec until = after(CLOCK_REALTIME, 2'000'000);
  EXPECT(pthread_mutex_timedlock(&lock, &until) == ETIMEDOUT && errno == 123);
}

void locks_contract() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t checked, recursive;
  pthread_mutex_init(&checked, &kind);
  EXPECT(pthread_mutex_lock(&checked) == 0 && pthread_mutex_lock(&checked) == EDEADLK);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &kind);
  for (int i = 0; i < 3; ++i) EXPECT(pthread_mutex_lock(&recursive) == 0);
  for (int i = 0; i < 3; ++i) EXPECT(pthread_mutex_unlock(&recursive) == 0);
  EXPECT(pthread_mutex_unlock(&recursive) == EPERM);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  EXPECT(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_rdlock(&lock) == 0);
  EXPECT(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
  EXPECT(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_wrlock(&lock) == EDEADLK);
  EXPECT(pthread_rwlock_rdlock(&lock) == EDEADLK);
}

void libc_contract(Runner&, const Statement&) {
  errno_contract();
  umask(022);
  const int file = open("contract.txt", O_CREAT | O_RDWR | O_TRUNC, 0640);
  EXPECT(file >= 0);
  success_keeps_errno(file);
  struct stat info {};
  EXPECT(fstat(file, &info) == 0 && (info.st_mode & 0777) == 0640);
  const int high = fcntl(file, F_DUPFD, 100);
  EXPECT(high >= 100 && fcntl(high, F_GETFL) == fcntl(file, F_GETFL));
  int waiting = -1;
  EXPECT(ioctl(file, FIONREAD, &waiting) == 0 && waiting == 0);
  EXPECT(lseek(file, 0, SEEK_SET) == 0);
  EXPECT(ioctl(file, FIONREAD, &waiting) == 0 && waiting == 1);
  const int other = openat(AT_FDCWD, "contract2.txt", O_CREAT | O_WRONLY, 0600);
  EXPECT(other >= 0 && fstat(other, &info) == 0 && (info.st_mode & 0777) == 0600);
  close(other);
  close(high);
  close(file);
  unlink("contract.txt");
  unlink("contract2.txt");
  locks_contract();
}

std::atomic<int> storm_file{-1};
std::atomic<std::uint64_t> storm_writes{0};

void write_in_handler(int) {
  const int before = errno;
  if (write(storm_file, "h", 1) == 1) ++storm_writes;
  errno = before;
}

void call_storm(Runner&, const Statement& statement) {
  const int null = open("/dev/null", O_WRONLY);
  storm_file = null;
  listen(write_in_handler, SA_RESTART | SA_ONSTACK);
  int ends[2];
  EXPECT(pipe(ends) == 0);
  const std::uint64_t until = storm_writes + count_word(statement, 1, 1000);
  const std::uint64_t period_us = count_word(statement, 2, 100);
  const ThreadTimer timer;
  timer.set(period_us, period_us);
  while (storm_writes < until) {
    char byte = 'm';
    EXPECT(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 'm');
  }
  timer.set(0, 0);
  close(ends[0]);
  close(ends[1]);
  close(null);
}

sigjmp_buf jump_place;

void jump_from(Runner&, const Statement& statement) {
  Waiter waiter(statement.words.at(1));
  listen([](int) { siglongjmp(jump_place, 1); }, 0);
  const ThreadTimer timer;
  std::atomic<std::uint64_t> left{count_word(statement, 2, 1)};  // In memory: a jump keeps it.
  while (left-- != 0) {
    if (sigsetjmp(jump_place, 1) != 0) continue;
    timer.set(2'000, 0);
    waiter.wait();
  }
}

void vfork_calls(Runner& runner, const Statement& statement) {
  std::string script = statement.words.at(1);
  char* arguments[] = {const_cast<char*>(runner.program), script.data(), nullptr};
  const pid_t child = vfork();
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    if (write(null, "x", 1) != 1) _exit(127);
    close(null);
    poll(nullptr, 0, 20);
    execv(arguments[0], arguments);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("vforked: %d\n", status);
  std::fflush(stdout);
}

void lock_fight(Runner&, const Statement& statement) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  const auto hold = [](void*) -> void* {
    pthread_mutex_lock(&lock);
    rest(kShort);
    pthread_mutex_unlock(&lock);
    return nullptr;
  };
  std::vector<pthread_t> threads(count_word(statement, 1, 2));
  pthread_mutex_lock(&lock);
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, hold, nullptr);
  rest(kShort);
  pthread_mutex_unlock(&lock);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

template <typename Call>
double ns_per_call(std::uint64_t count, Call call) {
  const timespec begin = after(CLOCK_MONOTONIC, 0);
  for (std::uint64_t i = 0; i < count; ++i) call();
  const timespec end = after(CLOCK_MONOTONIC, 0);
  const double ns = static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
                    static_cast<double>(end.tv_nsec - begin.tv_nsec);
  return ns / static_cast<double>(count);
}

void call_rate(Runner&, const Statement& statement) {
  const std::uint64_t count = count_word(statement, 1, 1'000'000);
  const int null = open("/dev/null", O_WRONLY);
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  const double writing = ns_per_call(count, [null] { EXPECT(write(null, "x", 1) == 1); });
  const double locking = ns_per_call(count, [&lock] {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  });
  std::printf("write %.1f ns, lock %.1f ns\n", writing, locking);
  std::fflush(stdout);
  close(null);
}

}  // namespace

void add_os_commands(CommandTable& table) {
  table["nap"] = nap;
  table["wait_calls"] = wait_calls;
  table["blocked"] = blocked;
  table["cancel"] = cancel;
  table["cancel_anywhere"] = cancel_anywhere;
  table["libc_contract"] = libc_contract;
  table["call_storm"] = call_storm;
  table["jump_from"] = jump_from;
  table["vfork_calls"] = vfork_calls;
  table["make_keys"] = make_keys;
  table["lock_fight"] = lock_fight;
  table["call_rate"] = call_rate;
}
