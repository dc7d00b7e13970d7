// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceWriter: the RecordSink that stores records in a trace.db (schema.hpp). The file changes only
// in commit(), so that a killed process leaves the last committed state; it is locked for others
// until the writer is gone. A commit that fails loses the records since the previous one; the next
// commit continues. Owns its file. Memory is bounded: the writer commits by itself when many rows
// are pending. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "libprof/base/output_file.hpp"
#include "libprof/base/result.hpp"
#include "libprof/source/each_record_sink.hpp"
#include "libprof/source/record_batch.hpp"
#include "libprof/store/write/api_rows.hpp"
#include "libprof/store/write/host_op_rows.hpp"
#include "libprof/store/write/meta_rows.hpp"
#include "libprof/store/write/range_rows.hpp"
#include "libprof/store/write/row_writer.hpp"
#include "libprof/store/write/work_rows.hpp"

namespace prof {

struct TraceWriterOptions {
  /// Replaces an existing trace (output_removal.hpp).
  bool force = false;
  /// Times are stored relative to this one. 0: taken from MetaRecord "start_realtime_ns" if it
  /// precedes the first record with a time, else from that record.
  std::int64_t start_realtime_ns = 0;
  /// Number of rows, and of bytes of texts and payloads, after which the writer commits by itself.
  std::uint64_t max_waiting_rows = 100'000;
  std::uint64_t max_waiting_bytes = std::uint64_t{8} << 20;
};

/// Numbers of rows of GPU work.
struct WorkCounts {
  std::uint64_t kernels = 0, copies = 0, sets = 0;
};

class TraceWriter final : public EachRecordSink<TraceWriter> {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path,
                                                     const TraceWriterOptions& options = {});
  /// Commits and closes. In a forked child the file is left alone.
  ~TraceWriter() override;

  template <typename Record>
  void take(const Record& record);

  void commit() override;
  void finish() override;
  [[nodiscard]] Status status() const override { return rows_.status(); }
  /// Records of transactions that failed, and those that came before the file could be written
  /// again; all records if the file was removed. Stored as loss store_error if the file can be
  /// written.
  [[nodiscard]] std::uint64_t lost_records() const override { return rows_.lost_records(); }
  /// The work that the file holds, that is, that was committed.
  [[nodiscard]] const WorkCounts& held() const { return committed_; }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::string& path() const { return rows_.db().path(); }
  /// Whether the file was removed or truncated: nothing readable is left.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  /// Whether the file is complete, but not at its path: moved, or hidden by a chroot.
  [[nodiscard]] bool was_moved() const { return moved_; }

 private:
  TraceWriter(SqliteDb db, const TraceWriterOptions& options, FileIdentity identity);
  static Result<std::unique_ptr<TraceWriter>> create_once(const std::string& path,
                                                          const TraceWriterOptions& options,
                                                          bool& taken_away);
  Status prepare();
  void resume();
  void check_file();
  void lose_file(const char* what);

  RowWriter rows_;
  TraceWriterOptions options_;
  FileIdentity identity_;
  pid_t pid_;
  bool finished_ = false, is_gone_ = false, moved_ = false;
  std::uint64_t committed_rows_ = 0;
  off_t committed_bytes_ = 0;
  WorkCounts waiting_, committed_;
  RecordBatch definitions_;  ///< Definitions since the last commit.

  MetaRows meta_;
  ApiRows api_;
  WorkRows work_;
  RangeRows ranges_;
  HostOpRows host_ops_;
};

}  // namespace prof
