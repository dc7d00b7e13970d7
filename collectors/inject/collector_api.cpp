// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What libprof.so calls, see libprof/control/collector_api.hpp.
#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "collectors/inject/capture_control.hpp"
#include "collectors/inject/capture_state.hpp"
#include "collectors/inject/window_control.hpp"

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

std::int32_t api_start(const ProfCollectorOptions* options, char* message, std::size_t bytes) {
  if (g_captures.state.load() == State::kDead) {
    return give(kProfCollectorForked, kForked, message, bytes);
  }
  if (options == nullptr || options->struct_size < sizeof(ProfCollectorOptions) ||
      options->api < 0 || options->api > 3) {
    return give(kProfCollectorInvalidArgument, "invalid options", message, bytes);
  }
  watch_forks();
  if (g_captures.is_automatic.load()) {
    return give(kProfCollectorAlreadyStarted,
                "the whole program is captured already, from its first CUDA call on (prof-run or "
                "LD_PRELOAD)",
                message, bytes);
  }
  if (has_windows()) return give(kProfCollectorAlreadyStarted, kWindows, message, bytes);
  if (!move_state(State::kIdle, State::kStarting)) {
    const std::string where = g_captures.state.load() == State::kRunning
                                  ? " to " + g_captures.session.load()->output()
                                  : "";
    return give(kProfCollectorAlreadyStarted, "a capture is already running" + where, message,
                bytes);
  }
  std::string text;
  ProfCollectorResult result = kProfCollectorFailed;
  try {
    CaptureConfig config = environment_config();
    if (options->output != nullptr) config.output = options->output;
    if (options->stream != nullptr) config.stream = options->stream;
    if (options->api != 0) {
      constexpr ApiMode kModes[] = {ApiMode::kLaunch, ApiMode::kAll, ApiMode::kNone};
      config.api = kModes[options->api - 1];
    }
    if (options->force != 0) config.force = true;
    if (options->queue_bytes != 0) config.queue_bytes = options->queue_bytes;
    if (options->buffer_bytes != 0) config.buffer_bytes = options->buffer_bytes;
    config.quiet = options->verbose == 0;
    g_captures.keeps_attached = options->keep_attached != 0;
    stand_by_if_asked(config);
    result = start_session(config, {.begin = Session::Begin::kAtOnce}, text);
  } catch (const std::exception& failure) {
    text = std::string("could not start: ") + failure.what();
    g_captures.state.store(State::kIdle);
  }
  return give(result, text, message, bytes);
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

constexpr ProfCollectorApi kApi{sizeof(ProfCollectorApi),
                                1,
                                PROF_VERSION_STRING,
                                api_start,
                                api_stop,
                                api_flush,
                                api_status,
                                api_standby};

}  // namespace

const ProfCollectorApi& collector_api() { return kApi; }

}  // namespace prof::collectors
