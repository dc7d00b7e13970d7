// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CaptureSource: a source of facts for a capture (CUPTI, the states of devices, ...). A session
// owns a list of sources and takes each through the same life: open, connect, flushes, end_events,
// stop, disconnect. Each step visits the sources in the order of the list, except that end_events
// (and close) visit them in the reverse order: a source that adds to another ends first. Ticks come
// from the recorder's worker, which runs from before connect() until after disconnect(): the first
// may come before or during connect(), the last one comes after disconnect(). NVTX needs no such
// object: its handlers are attached by NVTX itself, with or without a capture, and write to the
// rings while the recorder records events, as all sources do (docs/decisions/0001-one-way-flow.md).
//
// A fork: the child calls none of these functions, ever. Threads of a source do not exist there,
// and its locks may be held forever; the session is left alone (global.hpp: fork_child()). Nothing
// that a source starts may therefore act in a child by itself.
//
// An exit: end_events() and stop() come with End::kExit, on a thread of our own, while the
// program's other threads may still run. The process ends whether they return or not, so they wait
// for nothing that may never come; there may be no disconnect(), and there is no destruction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "collectors/core/activity_sink.hpp"
#include "collectors/core/recorder.hpp"
#include "collectors/core/recorder_client.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

/// How a capture ends: by request, or with the process.
enum class End : std::uint8_t { kStop, kExit };

class CaptureSource : public RecorderClient {
 public:
  /// Takes a line for the user. Called on any thread.
  using PrintLine = void (*)(std::string_view line) noexcept;
  /// Takes a fact for table meta; empty values are left out.
  using TakeFact = std::function<void(std::string_view key, const std::string& value)>;

  /// Called before anything is recorded, on the program's thread. If this fails there is no
  /// capture; a source that the capture can do without succeeds and counts a loss or states a fact.
  virtual Status open() = 0;
  /// Undoes a successful open() if the capture could not start.
  virtual void close() {}
  /// The source's facts about itself. Called after open().
  virtual void facts(const TakeFact&) {}
  /// The recorder has started: from now on records go to it, until disconnect().
  virtual void connect(Recorder&) {}
  /// Hands over finished records.
  virtual void flush() {}
  /// The recording of events is about to end.
  virtual void end_events(End) {}
  /// The recording of events has ended: hands over everything outstanding, and stops. `detach`:
  /// leaves nothing behind in the process.
  virtual void stop(End, bool /*detach*/) {}
  /// The recorder is about to stop.
  virtual void disconnect() {}
};

}  // namespace prof::collectors
