// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a recorder asks of its session. All calls come from the recorder's worker thread, but for
// BufferDecoder::release().
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

/// Adds to a session what the recorder does not know.
class RecorderClient {
 public:
  RecorderClient() = default;
  RecorderClient(const RecorderClient&) = delete;
  RecorderClient& operator=(const RecorderClient&) = delete;
  virtual ~RecorderClient() = default;

  /// Before anything else: records of what was before.
  virtual void begin(ActivitySink&) {}
  /// About every second, before the commit, and once more at the end, with `last`: what is recorded
  /// regularly.
  virtual void tick(ActivitySink&, bool /*last*/) {}
  /// Reads an event of a kind that events.hpp does not define; false: not its kind.
  virtual bool read(ThreadId, const EventHeader&, ActivitySink&) { return false; }
  /// What its source keeps of an op that is recorded; absent: not its op.
  virtual std::optional<OpFact> read_op(const OpEvent&, std::string_view /*text*/,
                                        std::string_view /*bytes*/, ActivitySink&) {
    return std::nullopt;
  }
  /// A batch, before the writer gets it.
  virtual void observe(const RecordBatch&) {}
};

}  // namespace prof::collectors
