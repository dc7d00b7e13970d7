// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/osrt/osrt_source.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "collectors/core/global.hpp"
#include "collectors/core/reentry.hpp"
#include "collectors/core/write_event.hpp"
#include "collectors/osrt/own_code.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {
namespace {

struct OsCallEvent {
  EventHeader header;
  RangeId stack;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t function;
  std::uint32_t unused;
};

/// One of several counters, so that threads rarely share one.
struct alignas(64) Counter {
  std::atomic<std::uint64_t> count{0};
};

/// Settings of the capture that runs. Set before calls are reported.
struct Reporting {
  std::atomic<OsCalls*> calls{nullptr};
  std::atomic<std::int64_t> since_ns{0};
  std::atomic<pid_t> process{0};
  std::atomic<std::uintptr_t> own_begin{0}, own_end{0};
  std::atomic<std::int64_t> threshold_ns{0};
  Counter shorter[16];  ///< Calls below the threshold.

  [[nodiscard]] bool is_own_code(const void* place) const noexcept {
    return CodeRange{own_begin.load(std::memory_order_relaxed),
                     own_end.load(std::memory_order_relaxed)}
        .holds(place);
  }
  void count_shorter() noexcept {
    // Each thread keeps to one counter, chosen by the address of its variables.
    const auto place = reinterpret_cast<std::uintptr_t>(&t_inside);
    shorter[(place * 0x9e3779b97f4a7c15U) >> 60U].count.fetch_add(1, std::memory_order_relaxed);
  }
};
constinit Reporting g_reporting;

/// libc keeps the values of its first keys in the thread itself. For the values of other keys it
/// calls malloc, whose own calls may be the ones that are reported.
constexpr pthread_key_t kKeysWithoutMalloc = 32;

ThreadState* thread_of_call() noexcept {
  if (t_thread_state != nullptr) return t_thread_state;
  ThreadState* made = global().exit_key < kKeysWithoutMalloc ? current_thread() : nullptr;
  if (made == nullptr) global().losses.add(Loss::kOsCallNotKept);
  return made;
}

void record(std::uint32_t epoch, std::uint32_t function, std::int64_t start_ns,
            std::int64_t end_ns) noexcept {
  const InsideCall inside;
  if (!inside.entered()) return refuse_event();
  ThreadState* thread = thread_of_call();
  if (thread == nullptr) return;
  if (thread->epoch != epoch && !enter_epoch(global(), *thread, epoch)) return;
  OsCallEvent event{{}, recorded_stack(*thread), start_ns, end_ns, function, 0};
  write_event(*thread, kOsCallEvent, event);
}

void report(std::uint32_t function, std::int64_t start_ns, std::int64_t end_ns,
            const void* caller) noexcept {
  const std::uint32_t epoch = recording_epoch();
  if (epoch == 0 || is_internal_thread() || g_reporting.is_own_code(caller)) return;
  if (is_dead(epoch)) {
    g_reporting.calls.load()->report.store(nullptr);
    return;
  }
  if (end_ns - start_ns < g_reporting.threshold_ns.load(std::memory_order_relaxed)) {
    return g_reporting.count_shorter();
  }
  // The call began before the capture did.
  if (start_ns < g_reporting.since_ns.load(std::memory_order_relaxed)) return;
  // A child process that shares its parent's memory.
  if (getpid() != g_reporting.process.load(std::memory_order_relaxed)) return;
  const int error = errno;
  record(epoch, function, start_ns, end_ns);
  errno = error;
}

std::uint64_t shorter_calls() {
  std::uint64_t count = 0;
  for (const Counter& counter : g_reporting.shorter) {
    count += counter.count.load(std::memory_order_relaxed);
  }
  return count;
}

}  // namespace

OsCalls* find_os_calls() {
  auto* found = static_cast<OsCalls*>(dlsym(RTLD_DEFAULT, kOsCallsSymbol));
  return found != nullptr && found->struct_size >= sizeof(OsCalls) ? found : nullptr;
}

OsrtSource::OsrtSource(OsCalls* calls, std::int64_t threshold_ns, PrintLine print_line)
    : calls_(calls), threshold_ns_(threshold_ns), print_line_(print_line) {}

void OsrtSource::facts(const TakeFact& take) {
  take("os_calls", calls_ == nullptr ? "libprof_osrt.so was not preloaded"
                                     : "from " + std::to_string(threshold_ns_) + " ns");
}

void OsrtSource::connect(Recorder& recorder) {
  if (calls_ == nullptr) {
    return print_line_(
        "no operating system calls are recorded: libprof_osrt.so is not preloaded; start the "
        "program with prof-run --trace osrt");
  }
  recorder_ = &recorder;
  names_.assign(calls_->function_count, StringId{});
  shorter_before_ = shorter_calls();
  const CodeRange own = own_code();
  g_reporting.own_begin = own.begin;
  g_reporting.own_end = own.end;
  g_reporting.process = getpid();
  g_reporting.since_ns = now_ns();
  g_reporting.calls = calls_;
  g_reporting.threshold_ns = threshold_ns_;
  calls_->report.store(report, std::memory_order_release);
}

bool OsrtSource::read(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  if (header.kind != kOsCallEvent || header.bytes != sizeof(OsCallEvent)) return false;
  OsCallEvent event{};
  std::memcpy(&event, &header, sizeof event);
  if (event.function >= names_.size()) return false;
  StringId& name = names_[event.function];
  if (!name) name = sink.intern(calls_->names[event.function]);
  sink.records().on(OsCallRecord{thread, event.stack, name, event.start_ns, event.end_ns});
  return true;
}

void OsrtSource::end_events(End /*end*/) {
  if (calls_ != nullptr) calls_->report.store(nullptr, std::memory_order_release);
}

void OsrtSource::stop(End /*end*/, bool /*detach*/) {
  if (recorder_ == nullptr) return;
  RecordBatch batch;
  batch.on(MetaRecord{"os_calls_shorter", std::to_string(shorter_calls() - shorter_before_)});
  recorder_->submit(std::move(batch));
}

}  // namespace prof::collectors
