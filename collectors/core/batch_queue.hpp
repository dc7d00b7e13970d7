// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The queue between worker and writer, limited in bytes, and the writer thread. A batch that would
// exceed the limit loses its records, which are counted (queue_full); its definitions are kept,
// because later records refer to them. Threads: push() from one (the worker), wait_for() from any.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "collectors/core/loss_counters.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {

class BatchQueue {
 public:
  BatchQueue(RecordSink& sink, LossCounters& losses, std::size_t limit_bytes);
  ~BatchQueue();
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  /// Starts the writer thread; throws std::system_error if it cannot.
  void start();
  /// Takes the batch's records and leaves it empty. If `commit`, the sink commits afterwards.
  /// `ticket` is passed to wait_for(), 0: nobody waits. False: out of memory; the records are
  /// counted as lost, the definitions stay in the batch, and nothing is committed.
  bool push(RecordBatch& batch, bool commit, std::uint64_t ticket) noexcept;
  /// Whether the batch of `ticket` was written and committed before the timeout.
  bool wait_for(std::uint64_t ticket, std::int64_t timeout_ns);
  /// Writes what is queued, finishes the sink and ends the writer thread.
  void finish();

 private:
  struct Item {
    RecordBatch batch;
    std::size_t bytes = 0;
    bool commit = false;
    std::uint64_t ticket = 0;
  };
  static constexpr std::size_t kSpareBatches = 4;
  static constexpr std::size_t kSpareBatchBytes = 8 << 20;

  void write_all();

  RecordSink& sink_;
  LossCounters& losses_;
  const std::size_t limit_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable written_;
  std::deque<Item> items_;
  std::vector<RecordBatch> spare_;
  std::size_t queued_bytes_ = 0;  ///< Includes the batch being written.
  std::uint64_t done_ticket_ = 0;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace prof::collectors
