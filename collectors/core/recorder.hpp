// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorder: one capture session's way from events to the sink. A worker thread drains the rings of
// all threads, has CUPTI's buffers decoded, gives texts their ids and makes batches; a writer
// thread feeds them to the sink and commits about every second. Between the two is a queue bounded
// in bytes: what exceeds it is dropped and counted. Both threads block all signals.
//
// start() sets the process recording, stop() ends that and drains everything. At most one recorder
// at a time. Threads: submit*() from any; start, flush and stop from one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "collectors/core/record_batch.hpp"
#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof::collectors {

/// Where decoded activity records go while the worker runs a decoder.
class DecodeTarget {
 public:
  virtual ~DecodeTarget() = default;
  /// The id of a text; defines it in the trace on first sight.
  virtual StringId intern(std::string_view text) = 0;
  /// The batch being filled. Losses are counted in global().losses.
  virtual RecordBatch& batch() = 0;
};

/// Turns buffers of CUPTI into records. All calls but release() come from the worker thread.
class BufferDecoder {
 public:
  virtual ~BufferDecoder() = default;
  virtual void decode(std::uint8_t* buffer, std::size_t valid_bytes, DecodeTarget& target) = 0;
  /// The buffer is not needed any more.
  virtual void release(std::uint8_t* buffer) = 0;
  /// The name of a function as it is to be stored; asked once for each, cached.
  virtual std::string_view api_name(ApiRecord::Domain domain, std::uint32_t cbid) = 0;
  /// About every second, before the commit, and once at the end: a place to ask CUPTI for finished
  /// buffers, dropped records, the clock. Records go to `target`.
  virtual void tick(DecodeTarget& target, bool last) = 0;
};

struct RecorderOptions {
  std::size_t queue_bytes = std::size_t{256} << 20;
  std::size_t string_table_bytes = std::size_t{256} << 20;
  std::int64_t drain_interval_ns = 20'000'000;
  std::int64_t commit_interval_ns = 1'000'000'000;
};

class Recorder {
 public:
  /// Starts threads and recording. `sink` and `decoder` (may be null: no CUPTI) must live until
  /// stop() has returned.
  static Result<std::unique_ptr<Recorder>> start(RecordSink& sink, BufferDecoder* decoder,
                                                 const RecorderOptions& options = {});
  /// Stops, if stop() was not called.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The session's number, in its events and as recording_epoch().
  [[nodiscard]] std::uint32_t epoch() const;

  /// Hands a buffer over to be decoded and then released, in order.
  void submit_buffer(std::uint8_t* buffer, std::size_t valid_bytes);
  /// Hands over records that need no interning (meta, devices, losses with a detail, ...).
  void submit(RecordBatch&& batch);

  /// Everything that happened before is in the sink and committed when this returns, or after
  /// `timeout_ns` an error.
  Status flush(std::int64_t timeout_ns = 10'000'000'000);

  /// Ends the recording of events (the sink goes on): call this before the last buffers are asked
  /// for from CUPTI, then stop(). stop() does it too.
  void stop_events();

  /// Drains rings and buffers, tells unclosed ranges and losses, has the sink finish, ends both
  /// threads. Returns the sink's status.
  Status stop();

 private:
  class Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::collectors
