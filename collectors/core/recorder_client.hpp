// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Interface through which a recorder calls its session. All calls come from the recorder's worker
// thread, except BufferDecoder::release().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collectors/core/activity_sink.hpp"
#include "collectors/core/events.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {

/// Turns CUPTI's buffers into records.
class BufferDecoder {
 public:
  virtual ~BufferDecoder() = default;
  virtual void decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) = 0;
  /// The buffer is no longer needed. Called on any thread.
  virtual void release(std::uint8_t* buffer) = 0;
  /// The name of a function as stored; asked once per function, then cached.
  virtual std::string_view api_name(ApiRecord::Domain domain, std::uint32_t cbid) = 0;
};

/// Adds records to a session that the recorder cannot make itself.
class RecorderClient {
 public:
  RecorderClient() = default;
  RecorderClient(const RecorderClient&) = delete;
  RecorderClient& operator=(const RecorderClient&) = delete;
  virtual ~RecorderClient() = default;

  /// Called before anything else: passes records of earlier events.
  virtual void begin(ActivitySink&) {}
  /// Called about every second, before the commit, and once more at the end, with `last`: passes
  /// records that are made regularly.
  virtual void tick(ActivitySink&, bool /*last*/) {}
  /// Reads an event of a kind that events.hpp does not define; false: another source's kind.
  virtual bool read(ThreadId, const EventHeader&, ActivitySink&) { return false; }
  /// Converts a recorded op into the fact that its source stores; absent: another source's op.
  virtual std::optional<OpFact> read_op(const OpEvent&, std::string_view /*text*/,
                                        std::string_view /*bytes*/, ActivitySink&) {
    return std::nullopt;
  }
  /// Shows a batch before the writer gets it.
  virtual void observe(const RecordBatch&) {}
};

}  // namespace prof::collectors
