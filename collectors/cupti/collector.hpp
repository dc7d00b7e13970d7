// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Collector: handles the events of an ActivityDriver. Calls and changes to graphs go to the rings
// of the program's threads, buffers to the recorder's worker, which calls back to have them
// decoded. Counts the launches that must yield a kernel record, and compares. Uses no CUPTI types
// and no files. Lifetime: one heap object per capture session, never freed, because a late callback
// may still come. Threads: DriverEvents on the program's threads, BufferDecoder on the worker, the
// rest on the thread that controls the capture.
#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collectors/core/recorder.hpp"
#include "collectors/cupti/activity_driver.hpp"
#include "collectors/cupti/buffer_pool.hpp"

namespace prof::collectors {

/// Kernel names by CUPTI's pointer, which saves hashing them. An entry is valid only while the text
/// at the pointer is unchanged. One thread.
class NameCache {
 public:
  StringId find_or_intern(std::string_view text, ActivitySink& sink);

 private:
  struct Entry {
    const char* pointer = nullptr;
    std::string text;
    StringId id;
  };
  std::array<Entry, 1024> entries_;
};

struct CollectorCounts {
  std::uint64_t kernels = 0, copies = 0, sets = 0;
  std::uint64_t launches = 0;          ///< Number of calls that must yield a kernel record.
  std::uint64_t launched_kernels = 0;  ///< Number of kernel records of such calls.
};

class Collector final : public DriverEvents, public BufferDecoder {
 public:
  /// Prints a line for the user. Called on any thread, even inside CUPTI.
  using PrintLine = void (*)(std::string_view line) noexcept;

  Collector(ActivityDriver& driver, ApiMode api, std::size_t buffer_bytes,
            PrintLine print_line = nullptr);

  /// From now on buffers go to `recorder`, until disconnect().
  void connect(Recorder& recorder);
  /// Buffers delivered from now on are dropped; their launches count as having no record.
  void disconnect();
  /// Frees most of its memory. To be called after the recorder has stopped.
  void retire();

  /// Starts asking CUPTI for finished buffers about every second, on a separate thread: asking can
  /// take long, and the worker must keep up with the rings.
  Status start_flushing();
  void stop_flushing();

  /// Waits at most `timeout_ns` until every counted launch has its record, then takes the buffers
  /// that CUPTI has, even if unfinished; unless `forced`, only if a launch has none. To be called
  /// after the recording of events has ended.
  void drain(Recorder& recorder, std::int64_t timeout_ns, bool forced);

  [[nodiscard]] CollectorCounts counts() const;
  /// From now on calls are only counted: events are no longer recorded, CUPTI continues.
  void count_late_calls() { is_over_.store(true, std::memory_order_relaxed); }
  /// Number of kernel launches since then, and of other calls that put work on a GPU.
  [[nodiscard]] std::uint64_t late_launches() const {
    return late_launches_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t late_other_calls() const {
    return late_other_calls_.load(std::memory_order_relaxed);
  }
  /// Whether a call has put work on a GPU, or a record shows some.
  [[nodiscard]] bool has_work() const { return has_work_.load(std::memory_order_relaxed); }
  /// Whether CUPTI has shut itself down.
  [[nodiscard]] bool is_broken() const { return is_broken_.load(std::memory_order_relaxed); }

  /// Calls `use` on the worker for each device as soon as a record mentions it. Before connect().
  void on_device_record(std::function<void(const DeviceRecord&)> use) {
    use_device_ = std::move(use);
  }
  /// Records the clock, CUPTI's dropped records, and the number of graphs that it has recorded as a
  /// whole. Called on the worker.
  void tick(ActivitySink& sink);

  // DriverEvents.
  void on_call_enter(const CallSite& site) noexcept override;
  void on_call_exit(const CallSite& site, std::int32_t status) noexcept override;
  void on_graph(const GraphSite& site) noexcept override;
  void on_profiler(bool is_on) noexcept override;
  std::uint8_t* on_buffer_wanted(std::size_t& bytes, bool may_refuse) noexcept override;
  void on_buffer_filled(std::uint8_t* buffer, std::size_t valid_bytes) noexcept override;
  void on_cupti_error(std::string_view message, bool is_fatal) noexcept override;

  // BufferDecoder.
  void decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) override;
  void release(std::uint8_t* buffer) override {
    pool_.give_back(buffer,
                    decoded_bytes_.exchange(BufferPool::kBufferBytes, std::memory_order_relaxed));
  }
  std::string_view api_name(ApiRecord::Domain domain, std::uint32_t cbid) override {
    return driver_.function_name(domain, cbid);
  }

 private:
  /// Counts the losses that CUPTI's driver reports.
  void count_losses(ActivitySink& sink);
  class CountingSink;
  void note_work() noexcept {
    // Checked first: a cache line that is only read is not contended.
    if (!has_work() && !has_work_.exchange(true, std::memory_order_relaxed)) note_first_work();
  }
  static void note_first_work() noexcept;
  void record_whole_graphs(ActivitySink& sink);
  void flush_loop();
  void ask_for_flush() noexcept;

  ActivityDriver& driver_;
  const ApiMode api_;
  const PrintLine print_line_;
  BufferPool pool_;
  std::atomic<Recorder*> recorder_{nullptr};
  std::atomic<std::uint32_t> submitting_{0};  ///< Threads submitting to the recorder.
  std::atomic<bool> is_broken_{false};
  std::atomic<bool> has_work_{false}, is_over_{false};
  std::atomic<std::uint64_t> late_launches_{0}, late_other_calls_{0};

  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> kernels_{0}, launched_kernels_{0}, copies_{0}, sets_{0};

  std::unique_ptr<NameCache> names_;  ///< Used by the worker, like the members that follow.
  std::uint64_t whole_graphs_ = 0;    ///< Whole graphs not yet counted in the trace.
  /// Bytes used in the next buffer to be released; only a hint, since another thread may release
  /// one, too.
  std::atomic<std::size_t> decoded_bytes_{BufferPool::kBufferBytes};
  std::unordered_set<std::uint32_t> devices_;
  std::function<void(const DeviceRecord&)> use_device_;

  // The thread that asks CUPTI for finished buffers.
  std::thread flusher_;
  std::atomic<bool> stop_flusher_{false};
  std::atomic<bool> flush_asked_{false};
  sem_t flush_wanted_;
};

}  // namespace prof::collectors
