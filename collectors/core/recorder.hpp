// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorder: one capture session's path from events to the sink. A worker thread drains the rings of
// all threads, has CUPTI's buffers decoded, assigns ids to texts and builds batches; a writer
// thread feeds them to the sink and commits about every second. The queue between the two is
// limited in bytes: records beyond the limit are dropped and counted. Both threads block all
// signals.
//
// start() starts recording in the process; stop() ends it and drains everything. At most one
// recorder at a time. Threads: submit*() from any; start, flush and stop from one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectors/core/recorder_client.hpp"
#include "libprof/base/result.hpp"
#include "libprof/source/record_batch.hpp"
#include "libprof/source/record_sink.hpp"
#include "libprof/source/string_interner.hpp"

namespace prof::collectors {

struct RecorderOptions {
  bool is_standby = false;  ///< Records only the events that kStandbyBit stands for.
  std::size_t queue_bytes = std::size_t{256} << 20;
  std::size_t string_table_bytes = std::size_t{256} << 20;
  /// Ids of texts, if the sink already has records of an earlier session; must live until stop()
  /// has returned. Null: the session has its own.
  StringInterner* strings = nullptr;
  /// The program continues before and after the session, without knowledge of it: events outside of
  /// it and ranges over its end are no losses.
  bool is_window = false;
  std::int64_t drain_interval_ns = 20'000'000;
  std::int64_t commit_interval_ns = 1'000'000'000;
};

class Recorder {
 public:
  /// Starts threads and recording. `client` may be null (only the clock is recorded), and so may
  /// `decoder` (no CUPTI). All must live until stop() has returned.
  static Result<std::unique_ptr<Recorder>> start(RecordSink& sink, RecorderClient* client,
                                                 BufferDecoder* decoder,
                                                 const RecorderOptions& options = {});
  /// Stops the recording if stop() was not called.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The session's number, as in its events and recording_epoch().
  [[nodiscard]] std::uint32_t epoch() const;

  /// Queues a buffer to be decoded and then released; buffers are decoded in order.
  void submit_buffer(std::uint8_t* buffer, std::size_t valid_bytes);
  /// Queues records that need no interning (meta, devices, losses with a detail, ...).
  void submit(RecordBatch&& batch);

  /// Waits until everything that happened before is in the sink and committed. An error after
  /// `timeout_ns`.
  Status flush(std::int64_t timeout_ns = 10'000'000'000);

  enum class Next : std::uint8_t {
    kNothing,
    kSession,  ///< Events of CUDA graphs wait in the rings until it starts.
  };
  /// Ends the recording of events (the sink continues): call this before asking CUPTI for its last
  /// buffers, then stop(). stop() does it, too.
  void stop_events(Next next = Next::kNothing);
  /// No session comes after stop_events(Next::kSession).
  static void end_waiting();

  /// Drains rings and buffers, records unclosed ranges and losses, finishes the sink, ends both
  /// threads. Returns the sink's status.
  Status stop();

 private:
  class Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::collectors
