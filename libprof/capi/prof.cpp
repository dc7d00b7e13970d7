// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The C functions of prof/prof.h: each forwards its call to the collector and keeps the thread's
// last error. Captures nothing itself. Threads: any. No object here has a destructor that runs at
// exit.
#include "libprof/include/prof/prof.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "libprof/capi/find_collector.hpp"
#include "libprof/control/collector_api.hpp"

namespace {

using prof::capi::find_collector;
using prof::capi::known_collector;

constexpr std::size_t kMessageBytes = 1024;

/// The thread's last error: plain memory, so that it stays usable until the thread's very end.
thread_local std::array<char, kMessageBytes> last_error{};

prof_result fail(prof_result result, const char* message) {
  std::snprintf(last_error.data(), last_error.size(), "%s", message);
  return result;
}

/// Returns a result of the collector, whose message is already in last_error.
prof_result passed_on(std::int32_t result) {
  const auto known = static_cast<prof_result>(result);
  if (known == PROF_OK) {
    last_error[0] = '\0';
  } else if (last_error[0] == '\0') {
    fail(known, prof_strerror(known));
  }
  return known;
}

static_assert(PROF_ERROR_INVALID_ARGUMENT == static_cast<int>(kProfCollectorInvalidArgument));
static_assert(PROF_ERROR_NO_CUPTI == static_cast<int>(kProfCollectorNoCupti));
static_assert(PROF_ERROR_NO_DRIVER == static_cast<int>(kProfCollectorNoDriver));
static_assert(PROF_ERROR_HELD_BY_OTHER == static_cast<int>(kProfCollectorHeldByOther));
static_assert(PROF_ERROR_NO_PERMISSION == static_cast<int>(kProfCollectorNoPermission));
static_assert(PROF_ERROR_ALREADY_STARTED == static_cast<int>(kProfCollectorAlreadyStarted));
static_assert(PROF_ERROR_NOT_STARTED == static_cast<int>(kProfCollectorNotStarted));
static_assert(PROF_ERROR_OUTPUT == static_cast<int>(kProfCollectorOutput));
static_assert(PROF_ERROR_FORKED == static_cast<int>(kProfCollectorForked));
static_assert(PROF_ERROR_FAILED == static_cast<int>(kProfCollectorFailed));

const ProfCollectorApi* collector_or_fail(bool load) {
  return find_collector(load, last_error.data(), last_error.size());
}

/// Calls start(collector, options) with options that the collector can read.
template <typename Start>
prof_result start_by(const char* function, const prof_options* options, Start start) {
  const prof_options defaults = PROF_OPTIONS_INIT;
  if (options == nullptr) options = &defaults;
  char line[128];
  if (options->struct_size < sizeof(prof_options)) {
    std::snprintf(line, sizeof line,
                  "%s: struct_size is not set; initialize with PROF_OPTIONS_INIT", function);
    return fail(PROF_ERROR_INVALID_ARGUMENT, line);
  }
  if (options->api < PROF_API_CALLS_DEFAULT || options->api > PROF_API_CALLS_NONE) {
    std::snprintf(line, sizeof line, "%s: api is not a value of prof_api_calls", function);
    return fail(PROF_ERROR_INVALID_ARGUMENT, line);
  }
  const ProfCollectorApi* collector = collector_or_fail(true);
  if (collector == nullptr) return PROF_ERROR_NO_COLLECTOR;
  ProfCollectorOptions passed{};
  passed.struct_size = sizeof passed;
  passed.output = options->output;
  passed.stream = options->stream;
  passed.api = options->api;
  passed.force = options->force;
  passed.keep_attached = options->keep_attached;
  passed.verbose = options->verbose;
  passed.queue_bytes = options->queue_bytes;
  passed.buffer_bytes = options->buffer_bytes;
  return passed_on(start(*collector, passed));
}

}  // namespace

prof_result prof_start(const prof_options* options) {
  return start_by("prof_start", options, [](const auto& collector, const auto& passed) {
    return collector.start(&passed, last_error.data(), last_error.size());
  });
}

prof_result prof_start_windows(const prof_options* options, const char* windows) {
  return start_by("prof_start_windows", options, [&](const auto& collector, const auto& passed) {
    return collector.start_windows(&passed, windows, last_error.data(), last_error.size());
  });
}

int prof_wants_marks(void) {
  const ProfCollectorApi* collector = known_collector();
  if (collector == nullptr) {
    // While there is no collector, looking for it every time would cost more than a mark.
    static constinit std::atomic<unsigned> looks{0};
    if (looks.fetch_add(1, std::memory_order_relaxed) % 1024 != 0) return 1;
    char why[kMessageBytes];
    collector = find_collector(false, why, sizeof why);
  }
  return collector == nullptr ? 1 : *collector->wants_marks;
}

prof_result prof_standby(void) {
  const ProfCollectorApi* collector = collector_or_fail(true);
  if (collector == nullptr) return PROF_ERROR_NO_COLLECTOR;
  return passed_on(collector->standby(last_error.data(), last_error.size()));
}

prof_result prof_stop(void) {
  const ProfCollectorApi* collector = collector_or_fail(false);
  if (collector == nullptr) return fail(PROF_ERROR_NOT_STARTED, "prof_stop: no capture is running");
  return passed_on(collector->stop(last_error.data(), last_error.size()));
}

prof_result prof_flush(void) {
  const ProfCollectorApi* collector = collector_or_fail(false);
  if (collector == nullptr)
    return fail(PROF_ERROR_NOT_STARTED, "prof_flush: no capture is running");
  return passed_on(collector->flush(last_error.data(), last_error.size()));
}

prof_result prof_get_status(prof_status* status) {
  if (status == nullptr || status->struct_size < sizeof(prof_status)) {
    return fail(PROF_ERROR_INVALID_ARGUMENT,
                "prof_get_status: struct_size is not set; initialize with PROF_STATUS_INIT");
  }
  const std::size_t size = status->struct_size;
  *status = prof_status{};
  status->struct_size = size;
  const ProfCollectorApi* collector = collector_or_fail(false);
  last_error[0] = '\0';
  if (collector == nullptr) return PROF_OK;  // Nothing was ever captured.
  ProfCollectorStatus got{};
  got.struct_size = sizeof got;
  if (const std::int32_t result = collector->status(&got); result != kProfCollectorOk)
    return passed_on(result);
  status->running = got.running;
  status->kernels = got.kernels;
  status->copies = got.copies;
  status->sets = got.sets;
  status->launches = got.launches;
  status->lost = got.lost;
  static_assert(sizeof status->output == sizeof got.output);
  std::memcpy(status->output, got.output, sizeof got.output);
  return PROF_OK;
}

const char* prof_strerror(prof_result result) {
  switch (result) {
    case PROF_OK:
      return "done";
    case PROF_ERROR_INVALID_ARGUMENT:
      return "invalid argument";
    case PROF_ERROR_NO_COLLECTOR:
      return "libprof_inject.so was not found or could not be loaded";
    case PROF_ERROR_NO_CUPTI:
      return "no usable libcupti was found";
    case PROF_ERROR_NO_DRIVER:
      return "no usable NVIDIA driver was found";
    case PROF_ERROR_HELD_BY_OTHER:
      return "another profiler holds CUPTI";
    case PROF_ERROR_NO_PERMISSION:
      return "profiling is not permitted for this user";
    case PROF_ERROR_ALREADY_STARTED:
      return "a capture is already running";
    case PROF_ERROR_NOT_STARTED:
      return "no capture is running";
    case PROF_ERROR_OUTPUT:
      return "the trace could not be written";
    case PROF_ERROR_FORKED:
      return "forked from a process that had started a capture";
    case PROF_ERROR_FAILED:
      return "the capture failed";
  }
  return "unknown result";
}

const char* prof_last_error(void) { return last_error.data(); }

const char* prof_version(void) { return PROF_VERSION_STRING; }
