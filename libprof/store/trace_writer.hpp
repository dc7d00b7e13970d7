// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceWriter: the RecordSink that stores records in a trace.db (schema.hpp). The file changes only
// in commit(), so that a killed process leaves the last committed state; it is locked for others
// until the writer is gone. Owns its file. Memory is bounded: the writer commits by itself when
// many rows are pending. One thread at a time.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libprof/base/output_file.hpp"
#include "libprof/base/result.hpp"
#include "libprof/source/record_sink.hpp"
#include "libprof/store/bounded_interner.hpp"
#include "libprof/store/sqlite_db.hpp"

namespace prof {

struct TraceWriterOptions {
  /// Replaces an existing file, but never the target of a symbolic link or a file being written.
  bool force = false;
  /// Times are stored relative to it. 0: taken from MetaRecord "start_realtime_ns" if it precedes
  /// the first record with a time, else from that record.
  std::int64_t start_realtime_ns = 0;
  /// Rows, and bytes of texts and payloads, after which the writer commits by itself.
  std::uint64_t max_waiting_rows = 100'000;
  std::uint64_t max_waiting_bytes = std::uint64_t{8} << 20;
};

/// Rows of GPU work.
struct WorkCounts {
  std::uint64_t kernels = 0, copies = 0, sets = 0;
};

class TraceWriter final : public RecordSink {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path,
                                                     const TraceWriterOptions& options = {});
  /// Commits and closes. In a forked child it leaves the file alone.
  ~TraceWriter() override;

  void on(const StringRecord& record) override;
  void on(const MetaRecord& record) override;
  void on(const ThreadRecord& record) override;
  void on(const DeviceRecord& record) override;
  void on(const DomainRecord& record) override;
  void on(const NameRecord& record) override;
  void on(const RangeRecord& record) override;
  void on(const MarkRecord& record) override;
  void on(const PayloadSchemaRecord& record) override;
  void on(const PayloadBlobRecord& record) override;
  void on(const ApiRecord& record) override;
  void on(const KernelRecord& record) override;
  void on(const MemcpyRecord& record) override;
  void on(const MemsetRecord& record) override;
  void on(const SyncRecord& record) override;
  void on(const OverheadRecord& record) override;
  void on(const GraphNodeRecord& record) override;
  void on(const ClockSyncRecord& record) override;
  void on(const LossRecord& record) override;

  void commit() override;
  void finish() override;
  [[nodiscard]] Status status() const override { return status_; }
  /// Those after the last commit before a failure; all records if the file was removed. Stored as
  /// loss store_error if the file can still be written.
  [[nodiscard]] std::uint64_t lost_records() const override { return lost_records_; }
  /// What the file holds, that is, what was committed.
  [[nodiscard]] const WorkCounts& held() const { return committed_; }
  [[nodiscard]] const std::string& path() const { return db_.path(); }
  /// The file was removed or truncated: nothing readable is left.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  /// The file is whole, but not at its path: moved, or hidden by a chroot.
  [[nodiscard]] bool was_moved() const { return moved_; }

 private:
  enum class Sql : std::uint8_t;
  static constexpr std::size_t kStatements = 35;

  /// Finds the next free `repeat` of a key in use; remembers the last key for runs of equal ones.
  struct Repeat {
    std::uint64_t correlation = 0;
    std::int64_t second = 0;
    std::int64_t next = 0;
  };

  TraceWriter(SqliteDb db, const TraceWriterOptions& options, FileIdentity identity);
  static Result<std::unique_ptr<TraceWriter>> create_once(const std::string& path,
                                                          const TraceWriterOptions& options,
                                                          bool& taken_away);
  Status prepare();
  void fail(std::string_view what);
  void fail(Error error);
  void check_place();
  void lose_file(const char* what);
  void store_lost();
  void begin();
  Statement& statement(Sql sql);

  template <typename... Values>
  Statement::Step insert(Sql sql, const Values&... values);
  /// Counts a record as pending or lost; rows shared by many records are not counted.
  void count();
  template <typename... Values>
  void put(Sql sql, const Values&... values);
  template <typename... Values>
  void write(Sql sql, const Values&... values);
  template <typename... Values>
  void write_keyed(Sql sql, Sql max_repeat, Repeat& repeat, std::uint64_t correlation,
                   std::int64_t second, const Values&... values);

  std::optional<std::int64_t> relative(std::int64_t time_ns);
  void set_start(std::int64_t start_realtime_ns);
  std::int64_t function_id(ApiRecord::Domain domain, StringId name);
  std::int64_t origin_id(const GpuWork& work);
  std::int64_t queue_id(const GpuWork& work);
  std::int64_t config_id(const KernelRecord& record);

  SqliteDb db_;
  TraceWriterOptions options_;
  FileIdentity identity_;
  pid_t pid_;
  std::array<Statement, kStatements> statements_;
  bool in_transaction_ = false;
  bool start_known_ = false;
  std::int64_t start_ns_ = 0;
  bool finished_ = false, is_gone_ = false, moved_ = false;
  std::uint64_t waiting_rows_ = 0;
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t committed_rows_ = 0;
  off_t committed_bytes_ = 0;
  WorkCounts waiting_, committed_;
  std::uint64_t lost_records_ = 0;
  std::uint64_t stored_lost_records_ = 0;
  Status status_;

  BoundedInterner<2> functions_{1 << 14};
  BoundedInterner<3> origins_{1 << 18};
  BoundedInterner<3> queues_{1 << 14};
  BoundedInterner<9> configs_{1 << 16};
  Repeat api_repeat_, kernel_repeat_, memcpy_repeat_, memset_repeat_;
};

}  // namespace prof
