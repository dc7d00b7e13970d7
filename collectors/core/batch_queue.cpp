// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/batch_queue.hpp"

#include <chrono>
#include <new>
#include <utility>

#include "collectors/core/internal_thread.hpp"

namespace prof::collectors {

BatchQueue::BatchQueue(RecordSink& sink, LossCounters& losses, std::size_t limit_bytes)
    : sink_(sink), losses_(losses), limit_bytes_(limit_bytes) {}

BatchQueue::~BatchQueue() { finish(); }

void BatchQueue::start() {
  spare_.reserve(kSpareBatches);  // The writer must not fail to keep one.
  writer_ = start_internal_thread("prof-writer", [this] { write_all(); });
}

bool BatchQueue::push(RecordBatch& batch, bool commit, std::uint64_t ticket) noexcept {
  std::size_t bytes = batch.bytes();
  std::unique_lock lock(mutex_);
  if (queued_bytes_ + bytes > limit_bytes_) {
    losses_.add(Loss::kQueueFull, batch.drop_records());
    bytes = batch.bytes();
  }
  try {
    items_.emplace_back();
  } catch (const std::bad_alloc&) {
    losses_.add(Loss::kStoreError, batch.drop_records());
    return false;
  }
  Item& item = items_.back();
  if (!spare_.empty()) {
    item.batch = std::move(spare_.back());
    spare_.pop_back();
  }
  std::swap(item.batch, batch);
  item.bytes = bytes;
  item.commit = commit;
  item.ticket = ticket;
  queued_bytes_ += bytes;
  lock.unlock();
  changed_.notify_one();
  return true;
}

bool BatchQueue::wait_for(std::uint64_t ticket, std::int64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  return written_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                           [&] { return done_ticket_ >= ticket; });
}

void BatchQueue::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (writer_.joinable()) writer_.join();
}

void BatchQueue::write_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !items_.empty() || ending_; });
    if (items_.empty()) break;
    Item item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    try {
      item.batch.order();
      item.batch.feed(sink_);  // A sink that has failed counts what it drops.
      if (item.commit) sink_.commit();
    } catch (...) {
      losses_.add(Loss::kStoreError, item.batch.drop_records());
    }
    item.batch.clear();
    const bool keep = item.bytes <= kSpareBatchBytes;
    lock.lock();
    queued_bytes_ -= item.bytes;
    if (keep && spare_.size() < kSpareBatches) spare_.push_back(std::move(item.batch));
    if (item.ticket != 0) {
      done_ticket_ = item.ticket;
      written_.notify_all();
    }
  }
  lock.unlock();
  try {
    sink_.finish();
  } catch (...) {
    losses_.add(Loss::kStoreError);
  }
}

}  // namespace prof::collectors
