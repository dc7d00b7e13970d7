// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// EventDecoder: turns the rings' events, and the program's objects (domains, names, schemas, open
// start/end ranges), into records of one capture session. Matches pushes with pops; tracks open
// ranges. Texts get their ids here. Threads: the recorder's worker only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/core/events.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/open_ranges.hpp"
#include "collectors/core/recorder_client.hpp"
#include "libprof/source/record_batch.hpp"
#include "libprof/source/string_interner.hpp"

namespace prof::collectors {

/// The runtime's and the driver's.
inline constexpr std::size_t kApiDomains = 2;

/// The epochs of events that a session reads: its own, and those that waited for it.
struct SessionEpochs {
  std::uint32_t own = 0;
  std::uint32_t waiting = 0;  ///< 0: none.
  [[nodiscard]] bool has(std::uint32_t epoch) const {
    return epoch == own || (epoch == waiting && waiting != 0);
  }
  /// Whether events of that epoch are for a later session.
  [[nodiscard]] bool is_later(std::uint32_t epoch) const {
    return (epoch & ~kStandbyBit) > (own & ~kStandbyBit);
  }
};

/// The worker's view of one thread in this session.
class ThreadView {
 public:
  std::uint32_t epoch = 0;  ///< Epoch of the events that follow.
  bool thread_emitted = false;
  std::string name;
  ThreadId id;
  OpenRanges ranges;
};

class EventDecoder final : private RangeTaker {
 public:
  /// Records go into the batch, which also belongs to `sink`. `is_window` and the last three are as
  /// in recorder.hpp.
  EventDecoder(Global& global, SessionEpochs epochs, bool is_window, StringInterner& strings,
               RecordBatch& batch, RecorderClient& client, BufferDecoder* decoder,
               ActivitySink& sink);
  ~EventDecoder() override;
  EventDecoder(const EventDecoder&) = delete;
  EventDecoder& operator=(const EventDecoder&) = delete;

  /// Decodes the rings of all threads; calls `full` whenever the batch holds more than
  /// `batch_bytes`. The states of ended threads become free for reuse.
  void drain(std::size_t batch_bytes, const std::function<void()>& full);

  /// Emit new definitions, open ranges not yet emitted, and losses.
  void emit_definitions();
  void emit_open_ranges();
  void emit_losses();

  /// Ends the session: emits whatever is open, counts it as unclosed, and forgets the threads.
  void finish();

 private:
  struct Text {
    StringId id;
    std::string_view numbers;
  };

  ThreadView& view_of(ThreadState& thread);
  void drain(ThreadState& thread, std::size_t batch_bytes, const std::function<void()>& full);
  /// False: the events that follow are for a later session.
  bool enter_epoch(ThreadState& thread, ThreadView& view, const EventHeader& header);
  void decode(ThreadView& view, const EventHeader& header);
  void decode_push(ThreadView& view, const EventHeader& header);
  void decode_op(ThreadView& view, const EventHeader& header);
  void decode_range(ThreadView& view, const EventHeader& header);
  void decode_mark(ThreadView& view, const EventHeader& header);
  void decode_blob(const EventHeader& header);
  void decode_api(ThreadView& view, const EventHeader& header);

  void emit_thread(const ThreadState& thread, ThreadView& view, std::string_view program_name);
  void close(ThreadState& thread);
  void take(const RangeRecord& range) override { batch_.on(range); }
  OpFact fact_of(const OpEvent& op, std::string_view text, std::string_view bytes) override;
  void take(const HostOpRecord& ops) override { batch_.on(ops); }
  Text text_of(const Annotation& annotation, std::string_view inline_text);
  [[nodiscard]] StringId intern(std::string_view text) { return interner_.intern(text, batch_); }
  StringId function_name(ApiRecord::Domain domain, std::uint32_t cbid);

  Global& global_;
  const SessionEpochs epochs_;
  const std::uint32_t epoch_;
  const bool is_window_;
  StringInterner& interner_;
  RecordBatch& batch_;
  RecorderClient& client_;
  BufferDecoder* const decoder_;
  ActivitySink& sink_;
  std::size_t domains_emitted_ = 0;
  std::size_t schemas_emitted_ = 0, documents_emitted_ = 0;
  std::uint64_t names_emitted_ = 0;
  std::uint64_t thread_names_emitted_ = 0;
  std::vector<StringId> function_names_[kApiDomains];
};

}  // namespace prof::collectors
