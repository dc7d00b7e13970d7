// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Collector: what the capture does with the news of an ActivityDriver. Calls and graph nodes go
// into the rings of the program's threads, buffers to the recorder's worker, which comes back here
// to have them decoded. Counts the launches that must give a kernel record, and compares. Knows no
// CUPTI type and no file. Life: one object on the heap for each capture session, never freed, for a
// late callback may still come. Threads: DriverEvents on the program's threads, BufferDecoder on
// the worker, the rest on the thread that controls the capture.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "collectors/core/recorder.hpp"
#include "collectors/cupti/activity_driver.hpp"
#include "collectors/cupti/buffer_pool.hpp"

namespace prof::collectors {

/// Kernel names by the pointer that CUPTI gives, which saves hashing them. An entry counts only
/// while the text behind the pointer is the same. One thread.
class NameCache {
 public:
  StringId find_or_intern(std::string_view text, DecodeTarget& target);

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
  std::uint64_t launches = 0;          ///< Calls that must give a kernel record.
  std::uint64_t launched_kernels = 0;  ///< Kernel records that came of such calls.
};

class Collector final : public DriverEvents, public BufferDecoder {
 public:
  /// Prints a line for the user. Called on any thread, also inside CUPTI.
  using Say = void (*)(std::string_view line) noexcept;

  Collector(ActivityDriver& driver, ApiMode api, std::size_t buffer_bytes, Say say = nullptr);

  /// From now on buffers go to `recorder`, until disconnect().
  void connect(Recorder& recorder);
  /// Buffers that come from now on are dropped and their records counted as launches without one.
  void disconnect();

  /// Starts asking CUPTI for finished buffers about every second, on a thread of its own: asking
  /// can take long, and the worker must keep up with the rings.
  Status start_flushing();
  void stop_flushing();

  /// Waits until every counted launch has its record, `timeout_ns` at most, then takes what CUPTI
  /// has even if unfinished. After the recording of events has ended.
  void drain(Recorder& recorder, std::int64_t timeout_ns);

  [[nodiscard]] CollectorCounts counts() const;
  /// From now on calls are only counted: events are not recorded any more, CUPTI goes on.
  void count_late_calls() { is_over_.store(true, std::memory_order_relaxed); }
  /// Kernel launches since, and other calls that put work on a GPU.
  [[nodiscard]] std::uint64_t late_launches() const {
    return late_launches_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t late_others() const {
    return late_others_.load(std::memory_order_relaxed);
  }
  /// A call has put work on a GPU, or a record tells of some.
  [[nodiscard]] bool has_work() const { return has_work_.load(std::memory_order_relaxed); }
  /// Buffers that CUPTI has not given back.
  [[nodiscard]] std::size_t buffers_out() const { return pool_.taken(); }
  /// CUPTI has shut itself down.
  [[nodiscard]] bool is_broken() const { return is_broken_.load(std::memory_order_relaxed); }

  // DriverEvents.
  void on_call_enter(const CallSite& site) noexcept override;
  void on_call_exit(const CallSite& site, std::int32_t status) noexcept override;
  void on_graph_node(const GraphNodeSite& site) noexcept override;
  std::uint8_t* on_buffer_wanted(std::size_t& bytes, bool may_refuse) noexcept override;
  void on_buffer_filled(std::uint8_t* buffer, std::size_t valid_bytes) noexcept override;
  void on_cupti_error(std::string_view message, bool is_fatal) noexcept override;

  // BufferDecoder.
  void decode(std::uint8_t* buffer, std::size_t valid_bytes, DecodeTarget& target) override;
  void release(std::uint8_t* buffer) override {
    pool_.give_back(buffer,
                    decoded_bytes_.exchange(BufferPool::kBufferBytes, std::memory_order_relaxed));
  }
  std::string_view api_name(ApiRecord::Domain domain, std::uint32_t cbid) override {
    return driver_.function_name(domain, cbid);
  }
  void tick(DecodeTarget& target, bool last) override;

 private:
  class TargetSink;
  void note_work() noexcept {
    // Looked at first: a line that is only read is not fought for.
    if (!has_work() && !has_work_.exchange(true, std::memory_order_relaxed)) note_first_work();
  }
  static void note_first_work() noexcept;
  void flush_loop();
  void ask_for_flush() noexcept;

  ActivityDriver& driver_;
  const ApiMode api_;
  const Say say_;
  BufferPool pool_;
  std::atomic<Recorder*> recorder_{nullptr};
  std::atomic<std::uint32_t> submitting_{0};  ///< Threads inside a hand-over to the recorder.
  std::atomic<bool> is_broken_{false};
  std::atomic<bool> has_work_{false}, is_over_{false};
  std::atomic<std::uint64_t> late_launches_{0}, late_others_{0};

  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> kernels_{0}, launched_kernels_{0}, copies_{0}, sets_{0};

  NameCache names_;  ///< The worker's, as is what follows.
  /// Of the buffer that is released next; a hint, which a release on another thread may spoil.
  std::atomic<std::size_t> decoded_bytes_{BufferPool::kBufferBytes};
  std::unordered_set<std::uint32_t> devices_;

  // The thread that asks CUPTI for finished buffers.
  pthread_t flusher_{};
  bool is_flushing_ = false;
  std::atomic<bool> stop_flusher_{false};
  std::atomic<bool> flush_asked_{false};
  sem_t flush_wanted_;
};

}  // namespace prof::collectors
