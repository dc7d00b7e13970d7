// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that libprof.so calls, see libprof/control/collector_api.hpp.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "collectors/core/global.hpp"
#include "collectors/inject/capture_control.hpp"
#include "collectors/inject/capture_state.hpp"
#include "collectors/inject/window_control.hpp"
#include "collectors/nccl/nccl_sink.hpp"
#include "collectors/ops/op_sink.hpp"

namespace prof::collectors {
namespace {

constexpr const char* kWindows =
    "prof-run --capture (PROF_CAPTURE) says when this program is captured";
constexpr const char* kForked =
    "a capture was running, or the process stood by for one, when it was forked";

void give_message(const std::string& text, char* message, std::size_t bytes) {
  if (message == nullptr || bytes == 0) return;
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

std::int32_t give(ProfCollectorResult result, const std::string& text, char* message,
                  std::size_t bytes) {
  give_message(text, message, bytes);
  return result;
}

/// The reason why nothing can start now; kProfCollectorOk: a start is possible, and the state is
/// kStarting.
ProfCollectorResult begin_start(const ProfCollectorOptions* options, std::string& why) {
  if (g_captures.state.load() == State::kDead) {
    why = kForked;
    return kProfCollectorForked;
  }
  if (options == nullptr || options->struct_size < sizeof(ProfCollectorOptions) ||
      options->api < 0 || options->api > 3) {
    why = "invalid options";
    return kProfCollectorInvalidArgument;
  }
  watch_forks();
  if (g_captures.is_automatic.load()) {
    why = has_windows() ? kWindows
                        : "the whole program is captured already, from its first CUDA call on "
                          "(prof-run or LD_PRELOAD)";
  } else if (has_windows()) {
    why = kWindows;
  } else if (!move_state(State::kIdle, State::kStarting)) {
    why = "a capture is already running";
    if (g_captures.state.load() == State::kRunning)
      why += " to " + g_captures.session.load()->output();
  } else {
    return kProfCollectorOk;
  }
  return kProfCollectorAlreadyStarted;
}

CaptureConfig config_of(const ProfCollectorOptions& options) {
  CaptureConfig config = environment_config();
  if (options.output != nullptr) config.output = options.output;
  if (options.stream != nullptr) config.stream = options.stream;
  if (options.api != 0) {
    constexpr ApiMode kModes[] = {ApiMode::kLaunch, ApiMode::kAll, ApiMode::kNone};
    config.api = kModes[options.api - 1];
  }
  if (options.force != 0) config.force = true;
  if (options.queue_bytes != 0) config.queue_bytes = options.queue_bytes;
  if (options.buffer_bytes != 0) config.buffer_bytes = options.buffer_bytes;
  config.quiet = options.verbose == 0;
  return config;
}

/// Calls start(text), in State::kStarting, and returns its result.
template <typename Start>
std::int32_t start_by(const ProfCollectorOptions* options, char* message, std::size_t bytes,
                      Start start) {
  std::string text;
  ProfCollectorResult result = begin_start(options, text);
  if (result != kProfCollectorOk) return give(result, text, message, bytes);
  try {
    result = start(text);
  } catch (const std::exception& failure) {
    result = kProfCollectorFailed;
    text = std::string("could not start: ") + failure.what();
    g_captures.state.store(State::kIdle);
  }
  return give(result, text, message, bytes);
}

std::int32_t api_start(const ProfCollectorOptions* options, char* message, std::size_t bytes) {
  return start_by(options, message, bytes, [&](std::string& text) {
    const CaptureConfig config = config_of(*options);
    g_captures.keeps_attached = options->keep_attached != 0;
    stand_by_if_asked(config);
    return start_session(config, {.begin = Session::Begin::kAtOnce}, text);
  });
}

std::int32_t api_start_windows(const ProfCollectorOptions* options, const char* specs,
                               char* message, std::size_t bytes) {
  return start_by(options, message, bytes, [&](std::string& text) {
    CaptureConfig config = config_of(*options);
    config.windows = {};
    const Status read = add_capture_specs(specs == nullptr ? "" : specs, config.windows);
    if (!read || config.windows.words.empty()) {
      text = read ? "no window is asked for" : read.error().to_line();
      g_captures.state.store(State::kIdle);
      return kProfCollectorInvalidArgument;
    }
    const Status status = start_windows(config);
    if (status) return kProfCollectorOk;
    text = status.error().to_line();
    return kProfCollectorFailed;
  });
}

std::int32_t api_standby(char* message, std::size_t bytes) {
  if (g_captures.state.load() == State::kDead) {
    return give(kProfCollectorForked, kForked, message, bytes);
  }
  watch_forks();
  if (g_captures.is_automatic.load() || !move_state(State::kIdle, State::kStarting)) {
    return give(kProfCollectorAlreadyStarted, "a capture is already running", message, bytes);
  }
  std::string text;
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = stand_by(environment_config()); !status) {
      text = status.error().to_line();
      result = result_of(StartFailure::kDriver);
    }
  } catch (const std::exception& failure) {
    text = std::string("could not start: ") + failure.what();
    result = kProfCollectorFailed;
  }
  g_captures.state.store(State::kIdle);
  return give(result, text, message, bytes);
}

std::int32_t not_running(char* message, std::size_t bytes) {
  if (g_captures.state.load() == State::kDead) {
    return give(kProfCollectorForked, kForked, message, bytes);
  }
  return give(kProfCollectorNotStarted, "no capture is running", message, bytes);
}

std::int32_t api_stop(char* message, std::size_t bytes) {
  // Windows that the environment requests are not the program's to end.
  if (std::getenv("PROF_CAPTURE") == nullptr && end_windows())
    return give(kProfCollectorOk, "", message, bytes);
  if (!take_running()) return not_running(message, bytes);
  std::string text;
  const ProfCollectorResult result = stop_session(Session::End::kStop, text);
  stand_by_again();
  g_captures.state.store(State::kIdle);
  return give(result, text, message, bytes);
}

std::int32_t api_flush(char* message, std::size_t bytes) {
  if (!take_running()) return not_running(message, bytes);
  std::string text;
  ProfCollectorResult result = kProfCollectorOk;
  try {
    if (Status status = g_captures.session.load()->flush(); !status) {
      text = status.error().to_line();
      result = kProfCollectorOutput;
    }
  } catch (const std::exception& failure) {
    text = failure.what();
    result = kProfCollectorFailed;
  }
  g_captures.state.store(State::kRunning);
  return give(result, text, message, bytes);
}

std::int32_t api_status(ProfCollectorStatus* status) {
  if (status == nullptr || status->struct_size < sizeof(ProfCollectorStatus))
    return kProfCollectorInvalidArgument;
  const std::size_t size = status->struct_size;
  *status = ProfCollectorStatus{};
  status->struct_size = size;
  const bool is_running = take_running();
  status->running = is_running ? 1 : 0;
  // The last capture's counts stay readable after its end.
  if (Session* session = g_captures.session.load();
      session != nullptr && g_captures.state.load() != State::kDead) {
    const CollectorCounts counts = session->counts();
    status->kernels = counts.kernels;
    status->copies = counts.copies;
    status->sets = counts.sets;
    status->launches = counts.launches;
    status->lost = session->lost();
    give_message(session->output(), status->output, sizeof status->output);
  }
  if (is_running) g_captures.state.store(State::kRunning);
  return kProfCollectorOk;
}

void api_keep_document(const char* kind, const char* name, const void* bytes, std::size_t size) {
  if (kind == nullptr || name == nullptr || (bytes == nullptr && size != 0)) return;
  try {
    global().objects.add_document(kind, name, {static_cast<const char*>(bytes), size});
  } catch (const std::bad_alloc&) {
    global().losses.add(Loss::kDocumentNotKept);
  }
}

}  // namespace

const ProfCollectorApi& collector_api() {
  static const ProfCollectorApi api{sizeof(ProfCollectorApi),
                                    1,
                                    PROF_VERSION_STRING,
                                    api_start,
                                    api_stop,
                                    api_flush,
                                    api_status,
                                    api_standby,
                                    api_start_windows,
                                    wants_marks(),
                                    &op_sink(),
                                    api_keep_document,
                                    &nccl_sink()};
  return api;
}

}  // namespace prof::collectors
