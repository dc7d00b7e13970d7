// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/recorder.hpp"

#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "collectors/core/batch_queue.hpp"
#include "collectors/core/event_decoder.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"

namespace prof::collectors {
namespace {

/// A batch that reaches about this size goes to the writer at once.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

Error busy() {
  return {"a capture is already running in this process", "start",
          "stop it before starting another"};
}

class ClockAlone final : public RecorderClient {
 public:
  void tick(ActivitySink& sink, bool /*last*/) override {
    ClockSyncRecord sync;
    sync.realtime_ns = now_ns();
    sync.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    sink.on(sync);
  }
};

}  // namespace

class Recorder::Impl final : public ActivitySink {
 public:
  Impl(Global& global, SessionEpochs epochs, RecordSink& sink, RecorderClient* client,
       BufferDecoder* decoder, const RecorderOptions& options)
      : global_(global),
        epoch_(epochs.own),
        sink_(sink),
        client_(client != nullptr ? *client : clock_),
        decoder_(decoder),
        options_(options),
        queue_(sink, global.losses, options.queue_bytes),
        own_strings_(options.string_table_bytes),
        strings_(options.strings != nullptr ? *options.strings : own_strings_),
        events_(global, epochs, options.is_window, strings_, batch_, client_, decoder, *this) {}

  void start() {
    queue_.start();
    worker_ = start_internal_thread("prof-worker", [this] { work(); });
  }

  StringId intern(std::string_view text) override { return strings_.intern(text, batch_); }
  void on(const KernelRecord& record) override { batch_.on(record); }
  void on(const MemcpyRecord& record) override { batch_.on(record); }
  void on(const MemsetRecord& record) override { batch_.on(record); }
  void on(const OverheadRecord& record) override { batch_.on(record); }
  void on(const DeviceRecord& record) override { batch_.on(record); }
  void on(const ClockSyncRecord& record) override { batch_.on(record); }
  RecordSink& records() override { return batch_; }
  void lost(Loss loss, std::uint64_t count) override { global_.losses.add(loss, count); }

  std::uint32_t epoch() const { return epoch_; }

  void submit_buffer(std::uint8_t* buffer, std::size_t valid_bytes) noexcept {
    if (append(buffers_, {buffer, valid_bytes})) return global_.wake();
    global_.losses.add(Loss::kDroppedRecords);
    if (decoder_ != nullptr) decoder_->release(buffer);
  }

  void submit(RecordBatch&& batch) noexcept {
    const std::size_t records = batch.records();
    if (append(submitted_, std::move(batch))) return global_.wake();
    global_.losses.add(Loss::kStoreError, records);
  }

  Status flush(std::int64_t timeout_ns) {
    if (is_dead(recording_epoch()) || !worker_.joinable()) return sink_.status();
    const std::uint64_t ticket = flush_wanted_.fetch_add(1, std::memory_order_acq_rel) + 1;
    global_.wake();
    if (!queue_.wait_for(ticket, timeout_ns)) {
      return Error{"the trace was not written in time", "flush", "the disk may be too slow"};
    }
    return sink_.status();
  }

  void stop_events(Next next) {
    std::uint32_t mine = epoch_;
    if (next == Next::kNothing) {
      g_epoch.compare_exchange_strong(mine, 0, std::memory_order_acq_rel);
      return;
    }
    const std::lock_guard lock(global_.registry_mutex);
    const std::uint32_t waiting = (global_.last_epoch + 1) | kStandbyBit;
    if (!g_epoch.compare_exchange_strong(mine, waiting, std::memory_order_acq_rel)) return;
    global_.waiting_epoch = waiting;
    ++global_.last_epoch;
  }

  Status stop() {
    if (is_dead(recording_epoch())) return {};  // A forked child: the threads do not exist here.
    stop_events(Next::kNothing);
    if (worker_.joinable()) {
      stopping_.store(true, std::memory_order_release);
      global_.wake();
      worker_.join();
      queue_.finish();
      const std::lock_guard lock(global_.registry_mutex);
      global_.consumer_active = false;
      for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
           thread = thread->next) {
        if (thread->life.load(std::memory_order_acquire) == ThreadState::Life::kExited &&
            !has_waiting_events(global_, *thread)) {
          recycle(global_, *thread);
        }
      }
    }
    return sink_.status();
  }

 private:
  struct Buffer {
    std::uint8_t* data;
    std::size_t valid_bytes;
  };

  /// Queues an item for the worker. False: it is too late, or out of memory.
  template <typename Item>
  bool append(std::vector<Item>& to, std::type_identity_t<Item>&& item) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (!ended_) to.push_back(std::move(item));
      return !ended_;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void work() {
    guarded([this] { client_.begin(*this); });
    std::int64_t next_commit = clock_ns(CLOCK_MONOTONIC);
    for (;;) {
      const bool stopping = stopping_.load(std::memory_order_acquire);
      const std::uint64_t flush = flush_wanted_.load(std::memory_order_acquire);
      const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
      const bool commit = stopping || flush != flushed_ || now >= next_commit;
      if (commit) next_commit = now + options_.commit_interval_ns;
      collect(commit, stopping);
      const bool is_idle = !commit && batch_.empty();
      if (is_idle || push(commit, flush)) {
        flushed_ = flush;
      } else {
        next_commit = now;
      }
      if (stopping) return;
      wait();
    }
  }

  /// Makes one pass over everything pending; `tick`: including the records made about every second.
  /// A failure for lack of memory loses the item being processed, but not the ones after it.
  void collect(bool tick, bool last) {
    guarded([this] { events_.emit_definitions(); });
    drain_rings();
    decode_buffers();
    if (tick) {
      guarded([&] { client_.tick(*this, last); });
      decode_buffers();  // Buffers that CUPTI returned during the tick.
    }
    if (last) {
      {
        const std::lock_guard lock(mutex_);
        ended_ = true;
      }
      decode_buffers();
      drain_rings();  // Takes events that were being written as recording stopped.
      guarded([this] { events_.finish(); });
    } else if (tick) {
      guarded([this] { events_.emit_open_ranges(); });
    }
    if (tick) guarded([this] { events_.emit_losses(); });
  }

  void drain_rings() {
    guarded([this] { events_.drain(kBatchBytes, [this] { pass_on(); }); });
  }

  void decode_buffers() {
    std::vector<Buffer> buffers;
    std::vector<RecordBatch> submitted;
    {
      const std::lock_guard lock(mutex_);
      buffers.swap(buffers_);
      submitted.swap(submitted_);
    }
    if (!submitted.empty()) pass_on();
    for (RecordBatch& batch : submitted) queue_.push(batch, false, 0);
    for (const Buffer& buffer : buffers) {
      guarded([&] {
        if (buffer.valid_bytes != 0) decoder_->decode(buffer.data, buffer.valid_bytes, *this);
      });
      decoder_->release(buffer.data);
      if (batch_.bytes() > kBatchBytes) pass_on();
    }
  }

  void pass_on() {
    if (!batch_.empty()) push(false, 0);
  }

  bool push(bool commit, std::uint64_t flush) {
    guarded([this] { client_.observe(batch_); });
    return queue_.push(batch_, commit, flush);
  }

  /// The program must not end because the capture ran out of memory: the work in progress is
  /// counted as lost.
  template <typename Action>
  void guarded(Action action) noexcept {
    try {
      action();
    } catch (...) {
      global_.losses.add(Loss::kStoreError, std::max<std::uint64_t>(1, batch_.drop_records()));
    }
  }

  void wait() {
    const std::int64_t until = clock_ns(CLOCK_MONOTONIC) + options_.drain_interval_ns;
    timespec time{};
    time.tv_sec = until / 1'000'000'000;
    time.tv_nsec = until % 1'000'000'000;
    sem_clockwait(&global_.wake_semaphore, CLOCK_MONOTONIC, &time);
    global_.wake_pending.exchange(false, std::memory_order_acq_rel);
  }

  Global& global_;
  const std::uint32_t epoch_;
  RecordSink& sink_;
  ClockAlone clock_;
  RecorderClient& client_;
  BufferDecoder* decoder_;
  const RecorderOptions options_;
  BatchQueue queue_;
  StringInterner own_strings_;
  StringInterner& strings_;  ///< The session's own texts, or those of the options.
  RecordBatch batch_;        ///< The batch being filled.
  EventDecoder events_;
  std::thread worker_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> flush_wanted_{0};
  std::uint64_t flushed_ = 0;  ///< Used by the worker only.
  std::mutex mutex_;
  std::vector<Buffer> buffers_;
  std::vector<RecordBatch> submitted_;
  bool ended_ = false;
};

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Recorder::~Recorder() {
  if (is_dead(recording_epoch())) {
    (void)impl_.release();  // A forked child: the threads do not exist here to be joined.
    return;
  }
  (void)impl_->stop();
}

Result<std::unique_ptr<Recorder>> Recorder::start(RecordSink& sink, RecorderClient* client,
                                                  BufferDecoder* decoder,
                                                  const RecorderOptions& options) {
  if (is_dead(recording_epoch())) return Error{"not in a forked child", "start", ""};
  Global& shared = global();
  SessionEpochs epochs;
  {
    const std::lock_guard lock(shared.registry_mutex);
    if (shared.consumer_active) return busy();
    shared.consumer_active = true;
    epochs.own = ++shared.last_epoch | (options.is_standby ? kStandbyBit : 0);
    epochs.waiting = std::exchange(shared.waiting_epoch, 0);
  }
  try {
    auto impl = std::make_unique<Impl>(shared, epochs, sink, client, decoder, options);
    // Events before the worker's first pass wait in the rings.
    g_epoch.store(epochs.own, std::memory_order_release);
    impl->start();
    return std::unique_ptr<Recorder>(new Recorder(std::move(impl)));
  } catch (const std::exception& exception) {
    g_epoch.store(0, std::memory_order_release);
    const std::lock_guard lock(shared.registry_mutex);
    shared.consumer_active = false;
    return Error{"cannot create a thread or allocate memory for the recorder", "start",
                 exception.what()};
  }
}

std::uint32_t Recorder::epoch() const { return impl_->epoch(); }
void Recorder::submit_buffer(std::uint8_t* buffer, std::size_t valid_bytes) {
  impl_->submit_buffer(buffer, valid_bytes);
}
void Recorder::submit(RecordBatch&& batch) { impl_->submit(std::move(batch)); }
Status Recorder::flush(std::int64_t timeout_ns) { return impl_->flush(timeout_ns); }
void Recorder::stop_events(Next next) { impl_->stop_events(next); }

void Recorder::end_waiting() {
  Global& shared = global();
  const std::lock_guard lock(shared.registry_mutex);
  std::uint32_t waiting = std::exchange(shared.waiting_epoch, 0);
  if (waiting != 0) g_epoch.compare_exchange_strong(waiting, 0, std::memory_order_acq_rel);
}

Status Recorder::stop() { return impl_->stop(); }

}  // namespace prof::collectors
