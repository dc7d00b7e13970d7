// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CaptureFiles: the files of one capture, as the sink of its records. Chooses the trace's name
// before anything is opened under it. A capture that started automatically creates its files with
// the first GPU work and keeps its records in memory until then, so that launchers and helper
// processes leave no files behind and take no name from the process that does the work. Threads:
// the sink's functions and open() on one thread at a time; the rest from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "libprof/base/own_descriptors.hpp"
#include "libprof/base/result.hpp"
#include "libprof/source/each_record_sink.hpp"
#include "libprof/source/record_batch.hpp"
#include "libprof/source/stream_writer.hpp"
#include "libprof/source/tee_sink.hpp"
#include "libprof/store/write/trace_writer.hpp"

namespace prof::collectors {

struct CaptureFilesOptions {
  std::string trace;   ///< With placeholders filled in.
  std::string stream;  ///< The text form; empty: none.
  /// Fingerprints of old files that may be replaced (output_name.hpp).
  std::string replace = {}, replace_stream = {};
  bool force = false;
  /// finish() ends one of several captures; end() closes the files.
  bool stays_open = false;
  bool same_run = false;  ///< Other processes of the same run may have taken the name.
  std::int64_t start_realtime_ns = 0;
  /// Whether there is data worth keeping. Called at each commit until true.
  std::function<bool()> worth_keeping;
};

class CaptureFiles final : public EachRecordSink<CaptureFiles> {
 public:
  explicit CaptureFiles(CaptureFilesOptions options);

  /// Checks whether the trace can be created later; with `force` removes an earlier run's files.
  /// Creates nothing.
  Status prepare();
  /// Removes the files that open() created. Nothing was recorded, and nothing can be from here on.
  void discard();
  /// Creates the files now, in any case. The caller reports errors.
  Status open();

  // The RecordSink interface.
  template <typename Record>
  void take(const Record& record) {
    // The clock is read every second, regardless of other events.
    if constexpr (!std::is_same_v<Record, ClockSyncRecord>) {
      add_one(taken_);
      holds_records_.store(true, std::memory_order_relaxed);
    }
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
  /// Closes the files, unless they stay open; if no data was worth keeping, none remain.
  void finish() override;
  /// Closes files that stay open. Same threads as the sink's functions.
  void end();
  [[nodiscard]] Status status() const override;
  [[nodiscard]] std::uint64_t lost_records() const override {
    return lost_.load(std::memory_order_relaxed);
  }

  /// Whether the trace exists.
  [[nodiscard]] bool is_there() const { return is_there_.load(std::memory_order_acquire); }
  [[nodiscard]] bool was_moved() const { return was_moved_.load(std::memory_order_relaxed); }
  /// The trace's path, or, before it exists, the requested one.
  [[nodiscard]] std::string path() const;
  /// After finish(): the text form's path; empty: there is none.
  [[nodiscard]] const std::string& stream_path() const { return stream_path_; }
  /// The work that the trace holds as of the last commit.
  [[nodiscard]] WorkCounts held() const;
  /// The error of the text form. To be called after finish().
  [[nodiscard]] const Status& stream_status() const { return stream_end_; }
  /// Changes as long as records come, or are being written.
  [[nodiscard]] std::uint64_t progress() const {
    const std::uint64_t writes = holds_records_.load(std::memory_order_relaxed) ? writes_done() : 0;
    return taken_.load(std::memory_order_relaxed) + writes;
  }

 private:
  /// For a counter that only one thread changes.
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
  void forget_held();
  void open_late();
  void note_counts();
  void remove_files();

  const CaptureFilesOptions options_;
  RecordBatch held_;
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<StreamWriter> stream_;
  std::unique_ptr<TeeSink> tee_;
  RecordSink* target_ = nullptr;  ///< Null until the files exist.
  Status end_;                    ///< The reason why there are none, or their status when closed.
  Status stream_end_;
  std::string stream_path_;
  bool is_closed_ = false;
  bool is_recording_ = false;  ///< The writer thread has called: it may create files.
  bool is_late_ = false;       ///< The files are created during the capture, not by open().
  std::atomic<bool> is_there_{false}, was_moved_{false};
  std::atomic<bool> holds_records_{false};  ///< Records came since the last commit.
  std::atomic<std::uint64_t> lost_{0}, taken_{0}, kernels_{0}, copies_{0}, sets_{0};
  mutable std::mutex path_mutex_;
  std::string path_;
};

}  // namespace prof::collectors
