// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/trace_writer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <type_traits>
#include <utility>

#include "libprof/base/output_file.hpp"
#include "libprof/base/output_removal.hpp"
#include "libprof/base/own_descriptors.hpp"
#include "libprof/store/schema/tables.hpp"
#include "libprof/store/sqlite/db_file.hpp"
#include "libprof/store/sqlite/descriptor_guard.hpp"

namespace prof {

namespace {

/// Limit for texts and other definitions that are kept while the file cannot be written.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 20;

// Only COMMIT writes to the file: no cache spill. A power loss may damage the file, killing the
// process must not: no sync. WAL would leave data outside the file.
constexpr const char* kWriterPragmas =
    "PRAGMA page_size=4096; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE;"
    "PRAGMA synchronous=OFF; PRAGMA cache_spill=OFF; PRAGMA cache_size=-16384;"
    "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=OFF;";

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path,
                                                         const TraceWriterOptions& options) {
  install_descriptor_guard();
  const Result<std::string> resolved = resolve_folder(path);
  if (!resolved) return resolved.error();
  if (const Status length = check_length(*resolved); !length) {
    return Error{length.error().what, path, length.error().hint};
  }
  constexpr int kAttempts = 16;
  for (int attempt = 1;; ++attempt) {
    bool taken_away = false;
    auto writer = create_once(*resolved, options, taken_away);
    if (!taken_away || attempt == kAttempts) {
      if (writer) return writer;
      // Reported under the name that the user gave.
      Error error = writer.error();
      error.where = path;
      return error;
    }
    usleep(1'000);
  }
}

/// `taken_away`: a forced run removed the file between its creation and its lock; worth a retry.
/// The descriptor that created the file is open to the end: an inode distinguishes this file from
/// others only while one holds it. It has no lock, which would keep SQLite's out.
Result<std::unique_ptr<TraceWriter>> TraceWriter::create_once(const std::string& path,
                                                              const TraceWriterOptions& options,
                                                              bool& taken_away) {
  const Result<int> created =
      create_output_file(path, options.force ? Existing::kReplace : Existing::kRefuse);
  if (!created) return created.error();
  const Descriptor own(*created);
  const FileIdentity identity = identify(own.get());
  Status status = remove_journal(path);
  std::unique_ptr<TraceWriter> writer;
  if (status) {
    Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kReadWrite);
    if (db) writer.reset(new TraceWriter(std::move(*db), options, identity));
    status = db ? writer->prepare() : Status{db.error()};
  }
  taken_away = identify(path) != identity || (writer && writer->rows_.db().busy());
  if (status && !taken_away) return writer;
  if (writer) writer->finished_ = true;  // There is nothing to write.
  writer.reset();
  // An empty file would look like a killed capture.
  remove_unfinished_output(path, own.get());
  if (!status) return status.error();
  return Error{"was removed by another process", path, "name another output file"};
}

TraceWriter::TraceWriter(SqliteDb db, const TraceWriterOptions& options, FileIdentity identity)
    : rows_(std::move(db)), options_(options), identity_(identity), pid_(getpid()) {}

Status TraceWriter::prepare() {
  SqliteDb& db = rows_.db();
  if (!db.exec(kWriterPragmas)) return db.error("cannot be written");
  const Status made = db.exec(("BEGIN IMMEDIATE;" + schema::ddl() +
                               "INSERT INTO process(id) VALUES(1);"
                               "INSERT INTO work_origin VALUES(0,0,0,0);"
                               "INSERT INTO meta VALUES('schema_version','" +
                               std::to_string(schema::kVersion) +
                               "'),('prof_version','" PROF_VERSION_STRING "');COMMIT;")
                                  .c_str());
  if (!made) return db.error("cannot be written");
  PROF_TRY(rows_.prepare());
  if (options_.start_realtime_ns != 0) rows_.set_start(options_.start_realtime_ns);
  take(StringRecord{kOverflowString, "(text not kept: the string table was full)"});
  commit();
  return status();
}

TraceWriter::~TraceWriter() {
  if (getpid() != pid_) {
    rows_.abandon();
  } else if (!finished_) {
    commit();
  }
}

void TraceWriter::finish() {
  if (finished_) return;
  commit();
  // For records that are kept, such as the way in which the capture ended.
  if (rows_.has_failed()) commit();
  if (rows_.has_failed()) {
    rows_.lose(std::exchange(definitions_, {}).records());
    rows_.store_lost();
  }
  finished_ = true;
  rows_.close();
}

/// Records that others refer to are kept until they are committed.
template <typename Record>
void TraceWriter::take(const Record& record) {
  constexpr bool kIsDefinition = turn_of<Record>() == Turn::kDefinition;
  if constexpr (kIsDefinition) {
    if (rows_.has_failed() && definitions_.bytes() > kMaxKeptBytes) return rows_.lose(1);
    definitions_.on(record);
  }
  rows_.set_kept(kIsDefinition);
  if constexpr (requires { host_ops_.store(rows_, record); }) {
    host_ops_.store(rows_, record);
  } else if constexpr (IsOneRow<Record>) {
    rows_.write(record);
  } else if constexpr (requires { meta_.store(rows_, record); }) {
    meta_.store(rows_, record);
  } else if constexpr (requires { api_.store(rows_, record); }) {
    api_.store(rows_, record);
  } else if constexpr (requires { ranges_.store(rows_, record); }) {
    ranges_.store(rows_, record);
  } else {
    work_.store(rows_, record);
  }
  if (!rows_.is_writing()) return;
  if constexpr (std::is_same_v<Record, KernelRecord>) ++waiting_.kernels;
  if constexpr (std::is_same_v<Record, MemcpyRecord>) ++waiting_.copies;
  if constexpr (std::is_same_v<Record, MemsetRecord>) ++waiting_.sets;
  if (rows_.waiting_rows() >= options_.max_waiting_rows ||
      rows_.waiting_bytes() >= options_.max_waiting_bytes) {
    commit();
  }
}

#define PROF_INSTANTIATE(Record) template void TraceWriter::take(const Record&);
PROF_ALL_RECORDS(PROF_INSTANTIATE)
#undef PROF_INSTANTIATE

void TraceWriter::commit() {
  if (finished_) return;
  if (rows_.has_failed()) resume();
  ranges_.flush(rows_);
  check_file();
  if (!rows_.is_writing() || !rows_.in_transaction()) return;
  committed_rows_ += rows_.commit();
  if (!rows_.is_writing()) return;
  definitions_.clear();
  api_.on_commit();
  work_.on_commit();
  ranges_.on_commit();
  host_ops_.on_commit();
  committed_.kernels += waiting_.kernels;
  committed_.copies += waiting_.copies;
  committed_.sets += waiting_.sets;
  waiting_ = {};
  check_file();
  struct stat info {};
  if (stat(path().c_str(), &info) == 0) committed_bytes_ = info.st_size;
}

/// Resumes if the file can be written again: nothing of the failed transaction is in it.
void TraceWriter::resume() {
  if (!rows_.store_lost()) return;
  api_.on_rollback();
  work_.on_rollback();
  ranges_.on_rollback();
  host_ops_.on_rollback();
  waiting_ = {};
  rows_.restart();
  const RecordBatch definitions = std::exchange(definitions_, {});
  definitions.feed(*this);
}

/// SQLite keeps writing to an unlinked file, so this checks whether the file is still there.
void TraceWriter::check_file() {
  if (is_gone_) return;
  struct stat info {};
  if (lstat(path().c_str(), &info) == 0 && FileIdentity{info.st_dev, info.st_ino} == identity_) {
    // A trace only grows. Truncated data is not written again.
    if (info.st_size < committed_bytes_) lose_file("was truncated while it was being written");
    return;
  }
  // Renamed or hidden by a chroot, the file is still whole.
  moved_ = !is_deleted(identity_);
  if (!moved_) lose_file("was removed while it was being written");
}

void TraceWriter::lose_file(const char* what) {
  is_gone_ = true;
  committed_ = {};
  rows_.lose_file(std::exchange(committed_rows_, 0),
                  {what, path(), "leave the file alone until the capture has ended"});
}

}  // namespace prof
