// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands that call NVTX. A text of "x*N" is N letters x.
// clang-format off
//   push TEXT [DOMAIN]             pop [DOMAIN]
//   push_registered TEXT DOMAIN    push_wide TEXT    push_payload TEXT NUMBER
//   mark TEXT                      start NAME TEXT   end NAME    (start and end: a range of the process)
//   name_thread TEXT               category NUMBER TEXT
//   sample COUNTER DOMAIN NUMBER   of a counter that is registered with its first sample
//   nvtx_storm MICROSECONDS MILLISECONDS annotates and launches for so long, while a signal handler that
//                                        runs every so often does the same (counted as "storm")
//   first_event_in_handler               a signal handler makes the thread's first NVTX call
//   nvtx_storm_out MICROSECONDS MILLISECONDS as nvtx_storm, but the handler leaves by siglongjmp
// clang-format on
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "runner.hpp"

namespace {

std::mutex mutex;
std::map<std::string, nvtxDomainHandle_t>& domains() {
  static auto* map = new std::map<std::string, nvtxDomainHandle_t>;
  return *map;
}
std::map<std::string, nvtxRangeId_t>& ranges() {
  static auto* map = new std::map<std::string, nvtxRangeId_t>;
  return *map;
}

nvtxDomainHandle_t domain(const std::string& name) {
  const std::lock_guard lock(mutex);
  nvtxDomainHandle_t& handle = domains()[name];
  if (handle == nullptr) handle = nvtxDomainCreateA(name.c_str());
  return handle;
}

std::string text_word(const Statement& statement, std::size_t index) {
  const std::string& word = statement.words.at(index);
  if (word.starts_with("x*")) return std::string(std::stoul(word.substr(2)), 'x');
  return word;
}

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t result{};
  result.version = NVTX_VERSION;
  result.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  result.messageType = NVTX_MESSAGE_TYPE_ASCII;
  return result;
}

void push(Runner&, const Statement& statement) {
  const std::string text = text_word(statement, 1);
  if (statement.words.size() == 2) {
    nvtxRangePushA(text.c_str());
    return;
  }
  nvtxEventAttributes_t event = attributes();
  event.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain(statement.words[2]), &event);
}

void push_registered(Runner&, const Statement& statement) {
  const nvtxDomainHandle_t handle = domain(statement.words.at(2));
  nvtxEventAttributes_t event = attributes();
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(handle, text_word(statement, 1).c_str());
  nvtxDomainRangePushEx(handle, &event);
}

void push_wide(Runner&, const Statement& statement) {
  const std::string text = text_word(statement, 1);
  nvtxRangePushW(std::wstring(text.begin(), text.end()).append(L" \u00e9\u20ac").c_str());
}

void push_payload(Runner&, const Statement& statement) {
  const std::string text = text_word(statement, 1);
  nvtxEventAttributes_t event = attributes();
  event.message.ascii = text.c_str();
  event.category = 3;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xff00ff00U;
  event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  event.payload.llValue = std::stoll(statement.words.at(2));
  nvtxRangePushEx(&event);
}

void pop(Runner&, const Statement& statement) {
  if (statement.words.size() == 1) {
    nvtxRangePop();
  } else {
    nvtxDomainRangePop(domain(statement.words[1]));
  }
}

void mark(Runner&, const Statement& statement) { nvtxMarkA(text_word(statement, 1).c_str()); }

void sample(Runner&, const Statement& statement) {
  static std::map<std::string, std::uint64_t> ids;
  const nvtxDomainHandle_t handle = domain(statement.words.at(2));
  const std::lock_guard lock(mutex);
  std::uint64_t& id = ids[statement.words[1]];
  if (id == 0) {
    nvtxCounterAttr_t counter{};
    counter.structSize = sizeof counter;
    counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    counter.name = statement.words[1].c_str();
    id = nvtxCounterRegister(handle, &counter);
  }
  nvtxCounterSampleInt64(handle, id, std::stoll(statement.words.at(3)));
}

void start(Runner&, const Statement& statement) {
  const nvtxRangeId_t id = nvtxRangeStartA(text_word(statement, 2).c_str());
  const std::lock_guard lock(mutex);
  ranges()[statement.words[1]] = id;
}

void end(Runner&, const Statement& statement) {
  const std::lock_guard lock(mutex);
  nvtxRangeEnd(ranges()[statement.words.at(1)]);
}

void name_thread(Runner&, const Statement& statement) {
  nvtxNameOsThreadA(static_cast<std::uint32_t>(syscall(SYS_gettid)), statement.words.at(1).c_str());
}

void category(Runner&, const Statement& statement) {
  nvtxNameCategoryA(static_cast<std::uint32_t>(count_word(statement, 1, 1)),
                    statement.words.at(2).c_str());
}

// A storm: the same calls by a loop and by a signal handler that interrupts it anywhere. Counted
// without locks or memory, each thread for itself. No driver, the stand-in neither, can be entered
// again by a handler that interrupted it, so a handler launches only where the loop is elsewhere.
struct Storm {
  // Atomic, for the handler counts in the middle of the loop's counting.
  std::atomic<std::uint64_t> ranges{0}, marks{0}, launches{0}, domains{0}, handlers{0};
  volatile sig_atomic_t in_driver = 0;
  volatile sig_atomic_t may_leave = 0;
  const standin::Driver* driver = nullptr;
  sigjmp_buf way_out;
};
thread_local Storm* storm_of_thread = nullptr;

void launch_in_storm(Storm& storm, const char* kernel) {
  storm.in_driver = 1;
  storm.driver->launch(standin::Door::kRuntime, kernel, {1, 1, 1}, {1, 1, 1}, 7);
  storm.in_driver = 0;
  ++storm.launches;
}

void on_storm_signal(int) {
  Storm& storm = *storm_of_thread;
  ++storm.handlers;
  ++storm.ranges;
  nvtxRangePushA("in handler");
  ++storm.marks;
  nvtxMarkA("mark in handler");
  if (storm.in_driver == 0) launch_in_storm(storm, "handler_kernel");
  if (storm.handlers % 8 == 0) {
    ++storm.domains;
    nvtxDomainDestroy(nvtxDomainCreateA("of the handler, a longer name than fits in place"));
    nvtxDomainRegisterStringA(nullptr, "of the handler, a longer text than fits in place");
    nvtxNameCategoryA(7, "of the handler, a longer name than fits in place");
    nvtxRangeEnd(nvtxRangeStartA("start and end in handler"));
    ++storm.ranges;
  }
  nvtxRangePop();
  if (storm.may_leave != 0 && storm.in_driver == 0 && storm.handlers % 64 == 0) {
    siglongjmp(storm.way_out, 1);
  }
}

timer_t start_timer(std::uint64_t period_us) {
  struct sigaction action {};
  action.sa_handler = on_storm_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR2;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) std::exit(72);
  const timespec period{static_cast<time_t>(period_us / 1'000'000),
                        static_cast<long>(period_us % 1'000'000 * 1000)};
  const itimerspec times{period, period};
  timer_settime(timer, 0, &times, nullptr);
  return timer;
}

void storm_round(Storm& storm, std::uint64_t round) {
  ++storm.ranges;
  nvtxRangePushA("in loop, a text of some length, so that copying it takes a while");
  ++storm.marks;
  nvtxMarkA("mark in loop");
  if (round % 4 == 0) launch_in_storm(storm, "loop_kernel");
  if (round % 16 == 0) {
    ++storm.domains;
    nvtxDomainDestroy(nvtxDomainCreateA("of the loop, a longer name than fits in place"));
    nvtxDomainRegisterStringA(nullptr, "of the loop, a longer text than fits in place");
    nvtxNameCategoryA(7, "of the loop, a longer name than fits in place");
    nvtxRangeEnd(nvtxRangeStartA("start and end in loop"));
    ++storm.ranges;
  }
  nvtxRangePop();
}

template <bool kLeaves>
void nvtx_storm(Runner& runner, const Statement& statement) {
  const auto length = std::chrono::milliseconds(count_word(statement, 2, 100));
  Storm& own = *new Storm;  // For good: a late signal may still come.
  storm_of_thread = &own;
  own.driver = runner.driver();
  if (own.driver == nullptr) return;
  // The driver and NVTX set themselves up at the first call, which no handler may interrupt.
  launch_in_storm(own, "loop_kernel");
  launch_in_storm(own, "handler_kernel");
  nvtxMarkA("mark in loop");
  ++own.marks;
  const timer_t timer = start_timer(count_word(statement, 1, 100));
  const auto end = std::chrono::steady_clock::now() + length;
  static thread_local std::uint64_t round;
  round = 0;
  if (kLeaves) {
    sigsetjmp(own.way_out, 1);
    own.may_leave = 1;
  }
  // Full rings are not what this is about: the thread rests now and then.
  while (std::chrono::steady_clock::now() < end) {
    storm_round(own, ++round);
    if (round % 256 == 0) usleep(1000);
  }
  own.may_leave = 0;
  timer_delete(timer);
  // A last signal may still be on its way.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  runner.counts.add("storm", "ranges", own.ranges);
  runner.counts.add("storm", "marks", own.marks);
  runner.counts.add("storm", "launches", own.launches);
  runner.counts.add("storm", "domains", own.domains);
  runner.counts.add("storm", "handlers", own.handlers);
}

void first_event_in_handler(Runner&, const Statement&) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    nvtxRangePushA("first of the thread");
    nvtxDomainDestroy(nvtxDomainCreateA("made by a handler"));
  };
  sigaction(SIGUSR2, &action, nullptr);
  raise(SIGUSR2);
  nvtxRangePop();
}

}  // namespace

void add_nvtx_commands(CommandTable& table) {
  table["push"] = push;
  table["push_registered"] = push_registered;
  table["push_wide"] = push_wide;
  table["push_payload"] = push_payload;
  table["pop"] = pop;
  table["mark"] = mark;
  table["sample"] = sample;
  table["start"] = start;
  table["end"] = end;
  table["name_thread"] = name_thread;
  table["category"] = category;
  table["nvtx_storm"] = nvtx_storm<false>;
  table["nvtx_storm_out"] = nvtx_storm<true>;
  table["first_event_in_handler"] = first_event_in_handler;
}
