// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CaptureFiles: the files of one capture, as the sink of its records. Chooses the trace's name
// before anything is opened under it. A capture that began by itself makes its files with the first
// work on a GPU and keeps its records in memory until then, so that launchers and helpers of a run
// leave nothing behind and take no name from the process that works.
// Threads: the sink's functions and open() on one thread at a time; the rest from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "collectors/core/record_batch.hpp"
#include "libprof/base/result.hpp"
#include "libprof/source/each_record_sink.hpp"
#include "libprof/source/stream_writer.hpp"
#include "libprof/source/tee_sink.hpp"
#include "libprof/store/trace_writer.hpp"

namespace prof::collectors {

struct CaptureFilesOptions {
  std::string trace;                              ///< Placeholders are filled in.
  std::string stream;                             ///< The text form; empty: none.
  std::string replace = {}, replace_stream = {};  ///< Old files that give way (output_name.hpp).
  bool force = false;
  bool same_run = false;  ///< Other processes of the same run may have taken the name.
  std::int64_t start_realtime_ns = 0;
  /// Whether there is something that a user would miss. Asked at each commit until it is so.
  std::function<bool()> worth_keeping;
};

class CaptureFiles final : public EachRecordSink<CaptureFiles> {
 public:
  explicit CaptureFiles(CaptureFilesOptions options);

  /// Finds out what would keep the trace from being made later; with `force` what an earlier run
  /// left is removed. Makes nothing.
  Status prepare();
  /// Removes what open() made. Nothing was recorded, and nothing can be from here on.
  void discard();
  /// Makes the files now, whatever is to come. What goes wrong is the caller's to tell.
  Status open();

  // The sink's side.
  template <typename Record>
  void take(const Record& record) {
    // The clock is looked at every second, whatever else happens.
    if constexpr (!std::is_same_v<Record, ClockSyncRecord>) add_one(taken_);
    if (target_ == nullptr) open_if_worth_it();
    if (target_ != nullptr) {
      target_->on(record);
    } else if (is_waiting()) {
      held_.on(record);
    } else {
      add_one(lost_);
    }
  }
  void commit() override;
  /// Closes the files; without anything worth keeping there are none afterwards.
  void finish() override;
  [[nodiscard]] Status status() const override;
  [[nodiscard]] std::uint64_t lost_records() const override {
    return lost_.load(std::memory_order_relaxed);
  }

  /// The trace is there.
  [[nodiscard]] bool is_there() const { return is_there_.load(std::memory_order_acquire); }
  [[nodiscard]] bool was_moved() const { return was_moved_.load(std::memory_order_relaxed); }
  /// The trace's path, or, before it is made, where it was asked for.
  [[nodiscard]] std::string path() const;
  /// What the trace holds, as of the last commit.
  [[nodiscard]] WorkCounts held() const;
  /// After finish(): what went wrong with the text form.
  [[nodiscard]] const Status& stream_status() const { return stream_end_; }
  /// Grows as long as records come.
  [[nodiscard]] std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  /// Of a counter that one thread alone changes.
  static void add_one(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Records are held back: whether there will be files is not decided yet.
  [[nodiscard]] bool is_waiting() const { return target_ == nullptr && end_ && !is_closed_; }
  void open_if_worth_it() {
    if (is_waiting() && is_recording_ && options_.worth_keeping()) open_late();
  }
  [[nodiscard]] Status check_names() const;
  Status open_trace(bool any_name);
  void open_stream(bool any_name);
  void pass_on_held();
  void open_late();
  void note_counts();
  void remove_files();

  const CaptureFilesOptions options_;
  RecordBatch held_;
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<StreamWriter> stream_;
  std::unique_ptr<TeeSink> tee_;
  RecordSink* target_ = nullptr;  ///< Null until the files are made.
  Status end_;                    ///< Why there are none, or how they were when they were closed.
  Status stream_end_;
  bool is_closed_ = false;
  bool is_recording_ = false;  ///< The writer's thread has come: files may be made on it.
  bool is_late_ = false;       ///< Made on the way, not by open().
  std::atomic<bool> is_there_{false}, was_moved_{false};
  std::atomic<std::uint64_t> lost_{0}, taken_{0}, kernels_{0}, copies_{0}, sets_{0};
  mutable std::mutex path_mutex_;
  std::string path_;
};

}  // namespace prof::collectors
