// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/trace_writer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <limits>
#include <utility>

#include "libprof/base/output_file.hpp"
#include "libprof/model/losses.hpp"
#include "libprof/store/descriptor_guard.hpp"
#include "libprof/store/schema.hpp"
#include "libprof/store/trace_writer_sql.hpp"

namespace prof {

enum class TraceWriter::Sql : std::uint8_t {
#define PROF_SQL_ENUM(id, text) id,
  PROF_WRITER_SQL(PROF_SQL_ENUM)
#undef PROF_SQL_ENUM
};

namespace {

constexpr std::array kSqlTexts = {
#define PROF_SQL_TEXT(id, text) std::string_view{text},
    PROF_WRITER_SQL(PROF_SQL_TEXT)
#undef PROF_SQL_TEXT
};

// Only COMMIT writes to the file: no cache spill. A power loss may damage the file, killing the
// process must not: no sync. WAL would leave data outside the file.
constexpr const char* kPragmas =
    "PRAGMA page_size=4096; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE;"
    "PRAGMA synchronous=OFF; PRAGMA cache_spill=OFF; PRAGMA cache_size=-16384;"
    "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=OFF;";

constexpr std::string_view kJournalSuffix = "-journal";

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// a - b without undefined overflow: damaged times wrap instead of ending the program.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return as_signed(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::optional<std::int64_t> duration(std::int64_t start_ns, std::int64_t end_ns) {
  if (start_ns == 0 || end_ns == 0) return std::nullopt;
  return difference(end_ns, start_ns);
}

void bind_value(Statement& statement, int parameter, std::int64_t value) {
  statement.bind(parameter, value);
}
void bind_value(Statement& statement, int parameter, std::uint64_t value) {
  statement.bind(parameter, as_signed(value));
}
void bind_value(Statement& statement, int parameter, std::uint32_t value) {
  statement.bind(parameter, value);
}
void bind_value(Statement& statement, int parameter, const std::optional<std::int64_t>& value) {
  value ? statement.bind(parameter, *value) : statement.bind_null(parameter);
}
void bind_value(Statement& statement, int parameter, std::string_view value) {
  statement.bind_text(parameter, value);
}
template <typename Tag>
void bind_value(Statement& statement, int parameter, Id<Tag> id) {
  statement.bind(parameter, id.value);
}
template <typename Enum>
requires std::is_enum_v<Enum>
void bind_value(Statement& statement, int parameter, Enum value) {
  statement.bind(parameter, static_cast<std::int64_t>(value));
}

struct Blob {
  std::string_view bytes;
};
struct BlobOrNull {
  std::string_view bytes;
};
void bind_value(Statement& statement, int parameter, Blob blob) {
  statement.bind_blob(parameter, blob.bytes);
}
void bind_value(Statement& statement, int parameter, BlobOrNull blob) {
  blob.bytes.empty() ? statement.bind_null(parameter) : statement.bind_blob(parameter, blob.bytes);
}

std::uint64_t pack(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

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
Result<std::unique_ptr<TraceWriter>> TraceWriter::create_once(const std::string& path,
                                                              const TraceWriterOptions& options,
                                                              bool& taken_away) {
  const Result<int> descriptor =
      create_output_file(path, options.force ? Existing::kReplace : Existing::kRefuse);
  if (!descriptor) return descriptor.error();
  const FileIdentity identity = identify(*descriptor);
  close(*descriptor);
  // The journal of an earlier, killed capture of this name would be rolled back into the new file.
  unlink((path + std::string(kJournalSuffix)).c_str());
  Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kReadWrite);
  Status status;
  if (db) {
    std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(*db), options, identity));
    status = writer->prepare();
    taken_away = identify(path) != identity || writer->db_.busy();
    if (status && !taken_away) return writer;
    writer->finished_ = true;  // There is nothing to write.
  } else {
    status = db.error();
    taken_away = identify(path) != identity;
  }
  // An empty file would look like a killed capture.
  if (identify(path) == identity) {
    unlink((path + std::string(kJournalSuffix)).c_str());
    unlink(path.c_str());
  }
  if (!status) return status.error();
  return Error{"was removed by another process", path, "name another output file"};
}

TraceWriter::TraceWriter(SqliteDb db, const TraceWriterOptions& options, FileIdentity identity)
    : db_(std::move(db)), options_(options), identity_(identity), pid_(getpid()) {}

Status TraceWriter::prepare() {
  if (!db_.exec(kPragmas)) return db_.error("cannot be written");
  const Status made = db_.exec(("BEGIN IMMEDIATE;" + schema::ddl() +
                                "INSERT INTO process(id) VALUES(1);"
                                "INSERT INTO work_origin VALUES(0,0,0,0);"
                                "INSERT INTO meta VALUES('schema_version','" +
                                std::to_string(schema::kVersion) + "');COMMIT;")
                                   .c_str());
  if (!made) return db_.error("cannot be written");
  static_assert(kSqlTexts.size() <= kStatements);
  for (std::size_t i = 0; i < kSqlTexts.size(); ++i) {
    Result<Statement> prepared = db_.prepare(kSqlTexts[i]);
    if (!prepared) return prepared.error();
    statements_[i] = std::move(*prepared);
  }
  if (options_.start_realtime_ns != 0) set_start(options_.start_realtime_ns);
  on(StringRecord{kOverflowString, "(text not kept: the string table was full)"});
  commit();
  return status_;
}

TraceWriter::~TraceWriter() {
  if (getpid() != pid_) {
    // A forked child shares the parent's file and could only corrupt it.
    db_.abandon();
    for (Statement& prepared : statements_) prepared.abandon();
    return;
  }
  if (!finished_) commit();
}

void TraceWriter::finish() {
  if (finished_) return;
  commit();
  finished_ = true;
  for (Statement& prepared : statements_) prepared = Statement();
  db_.close();
}

Statement& TraceWriter::statement(Sql sql) { return statements_[static_cast<std::size_t>(sql)]; }

void TraceWriter::begin() {
  if (in_transaction_) return;
  if (statement(Sql::kBegin).run() != Statement::Step::kDone) return fail("cannot write");
  in_transaction_ = true;
}

void TraceWriter::fail(std::string_view what) { fail(db_.error(what)); }

void TraceWriter::fail(Error error) {
  if (!status_) return;
  status_ = std::move(error);
  lost_records_ += waiting_rows_;
  waiting_rows_ = waiting_bytes_ = 0;
  waiting_ = {};
  if (db_.in_transaction()) statement(Sql::kRollback).run();
  in_transaction_ = false;
  store_lost();
}

void TraceWriter::store_lost() {
  if (lost_records_ == stored_lost_records_ || finished_ || is_gone_) return;
  if (statement(Sql::kBegin).run() != Statement::Step::kDone) return;
  Statement& loss = statement(Sql::kLoss);
  const std::string detail = status_ ? std::string() : status_.error().to_line();
  loss.bind_text(1, info(Loss::kStoreError).word);
  loss.bind(2, schema::kProcessId);
  loss.bind(3, as_signed(lost_records_ - stored_lost_records_));
  loss.bind_null(4);
  loss.bind_null(5);
  loss.bind_text(6, detail);
  const bool stored = loss.run() == Statement::Step::kDone &&
                      statement(Sql::kCommit).run() == Statement::Step::kDone;
  if (stored) stored_lost_records_ = lost_records_;
  if (db_.in_transaction()) statement(Sql::kRollback).run();
}

void TraceWriter::commit() {
  if (finished_) return;
  if (!status_) return store_lost();
  check_place();
  if (!status_ || !in_transaction_) return;
  if (statement(Sql::kCommit).run() != Statement::Step::kDone) return fail("cannot write");
  in_transaction_ = false;
  committed_.kernels += waiting_.kernels;
  committed_.copies += waiting_.copies;
  committed_.sets += waiting_.sets;
  committed_rows_ += waiting_rows_;
  waiting_rows_ = waiting_bytes_ = 0;
  waiting_ = {};
  check_place();
  struct stat info {};
  if (stat(db_.path().c_str(), &info) == 0) committed_bytes_ = info.st_size;
}

/// SQLite keeps writing to an unlinked file.
void TraceWriter::check_place() {
  struct stat info {};
  if (lstat(db_.path().c_str(), &info) == 0 &&
      FileIdentity{info.st_dev, info.st_ino} == identity_) {
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
  waiting_rows_ += std::exchange(committed_rows_, 0);
  committed_ = {};
  fail({what, db_.path(), "leave the file alone until the capture has ended"});
}

template <typename... Values>
Statement::Step TraceWriter::insert(Sql sql, const Values&... values) {
  Statement& prepared = statement(sql);
  int parameter = 0;
  (bind_value(prepared, ++parameter, values), ...);
  return prepared.run();
}

void TraceWriter::count() { status_ ? ++waiting_rows_ : ++lost_records_; }

template <typename... Values>
void TraceWriter::put(Sql sql, const Values&... values) {
  if (status_) begin();
  if (status_ && insert(sql, values...) != Statement::Step::kDone) fail("cannot write");
}

template <typename... Values>
void TraceWriter::write(Sql sql, const Values&... values) {
  count();
  put(sql, values...);
  if (waiting_rows_ >= options_.max_waiting_rows || waiting_bytes_ >= options_.max_waiting_bytes) {
    commit();
  }
}

template <typename... Values>
void TraceWriter::write_keyed(Sql sql, Sql max_repeat, Repeat& repeat, std::uint64_t correlation,
                              std::int64_t second, const Values&... values) {
  count();
  if (status_) begin();
  if (!status_) return;
  const bool again =
      repeat.next != 0 && repeat.correlation == correlation && repeat.second == second;
  std::int64_t number = again ? repeat.next : 0;
  Statement::Step step = insert(sql, correlation, second, number, values...);
  if (step == Statement::Step::kConstraint) {
    Statement& maximum = statement(max_repeat);
    bind_value(maximum, 1, correlation);
    bind_value(maximum, 2, second);
    if (maximum.step() == Statement::Step::kRow) number = maximum.integer(0) + 1;
    maximum.reset();
    step = insert(sql, correlation, second, number, values...);
    repeat = {correlation, second, number};
  }
  if (step != Statement::Step::kDone) return fail("cannot write");
  if (number != 0) repeat.next = number + 1;
  if (waiting_rows_ >= options_.max_waiting_rows) commit();
}

void TraceWriter::set_start(std::int64_t start_realtime_ns) {
  start_known_ = true;
  start_ns_ = start_realtime_ns;
  put(Sql::kMeta, std::string_view("start_realtime_ns"),
      std::string_view(std::to_string(start_realtime_ns)));
}

std::optional<std::int64_t> TraceWriter::relative(std::int64_t time_ns) {
  if (time_ns == 0) return std::nullopt;
  if (!start_known_) set_start(time_ns);
  return difference(time_ns, start_ns_);
}

std::int64_t TraceWriter::function_id(ApiRecord::Domain domain, StringId name) {
  const auto [id, is_new] = functions_.intern({static_cast<std::uint64_t>(domain), name.value});
  if (is_new) put(Sql::kApiFunction, id, domain, name);
  return id;
}

std::int64_t TraceWriter::origin_id(const GpuWork& work) {
  if (work.origin == Origin::kApi && work.graph == 0 && work.graph_node == 0) return 0;
  const auto [id, is_new] =
      origins_.intern({static_cast<std::uint64_t>(work.origin), work.graph, work.graph_node});
  if (is_new) put(Sql::kWorkOrigin, id, work.origin, work.graph, work.graph_node);
  return id;
}

std::int64_t TraceWriter::queue_id(const GpuWork& work) {
  const auto [id, is_new] = queues_.intern({work.device, work.context, work.stream});
  if (is_new) put(Sql::kQueue, id, schema::kProcessId, work.device, work.context, work.stream);
  return id;
}

std::int64_t TraceWriter::config_id(const KernelRecord& record) {
  const Dim3& grid = record.grid;
  const Dim3& block = record.block;
  const Dim3& cluster = record.cluster;
  const auto [id, is_new] =
      configs_.intern({pack(record.name.value, record.cooperative ? 1 : 0), pack(grid.x, grid.y),
                       pack(grid.z, block.x), pack(block.y, block.z), pack(cluster.x, cluster.y),
                       pack(cluster.z, record.registers_per_thread), record.static_shared_bytes,
                       record.dynamic_shared_bytes, record.local_bytes_per_thread});
  if (is_new) {
    put(Sql::kLaunchConfig, id, record.name, grid.x, grid.y, grid.z, block.x, block.y, block.z,
        cluster.x, cluster.y, cluster.z, record.registers_per_thread, record.static_shared_bytes,
        record.dynamic_shared_bytes, record.local_bytes_per_thread,
        std::uint32_t{record.cooperative});
  }
  return id;
}

void TraceWriter::on(const StringRecord& record) {
  waiting_bytes_ += record.text.size();
  write(Sql::kString, record.id, record.text);
}

void TraceWriter::on(const MetaRecord& record) {
  if (record.key == "schema_version")
    return;  // Belongs to the replayed trace; this one has its own.
  if (record.key == "start_realtime_ns") {
    std::int64_t start = 0;
    std::from_chars(record.value.data(), record.value.data() + record.value.size(), start);
    if (!start_known_ && start != 0) set_start(start);
    return;
  }
  waiting_bytes_ += record.value.size();
  write(Sql::kMeta, record.key, record.value);
  if (record.key == "pid") put(Sql::kProcessPid, record.value);
  if (record.key == "executable") put(Sql::kProcessExecutable, record.value);
  if (record.key == "command_line") put(Sql::kProcessCommandLine, record.value);
}

void TraceWriter::on(const ThreadRecord& record) {
  write(Sql::kThread, record.id, schema::kProcessId, record.os_tid, record.generation, record.name);
}

void TraceWriter::on(const DeviceRecord& record) {
  write(Sql::kDevice, record.device, schema::kProcessId, record.name, record.uuid,
        record.compute_major, record.compute_minor, record.sm_count, record.core_clock_khz,
        record.memory_clock_khz, record.memory_bus_bits, record.memory_bytes,
        record.memory_bandwidth_bytes_per_s, record.l2_bytes);
}

void TraceWriter::on(const DomainRecord& record) {
  write(Sql::kDomain, record.id, schema::kProcessId, record.name);
}

void TraceWriter::on(const NameRecord& record) {
  write(Sql::kName, record.kind, record.domain, record.object, schema::kProcessId, record.name);
}

void TraceWriter::on(const RangeRecord& record) {
  waiting_bytes_ += record.numbers.size();
  const std::optional<std::int64_t> start = relative(record.start_ns);
  // An end without a start is kept as closed, with no duration.
  std::optional<std::int64_t> length = duration(record.start_ns, record.end_ns);
  if (record.end_ns != 0 && !length) length = 0;
  const ThreadId end_thread = record.end_thread == record.thread ? ThreadId{} : record.end_thread;
  write(Sql::kRange, record.id, record.parent, record.thread, record.domain, record.kind,
        record.text, BlobOrNull{record.numbers}, start, length, end_thread, record.alias_of,
        record.category, record.color_argb, record.payload.type, record.payload.bits);
}

void TraceWriter::on(const MarkRecord& record) {
  waiting_bytes_ += record.numbers.size();
  const std::optional<std::int64_t> time = relative(record.time_ns);
  write(Sql::kMark, record.thread, record.domain, record.parent, record.text,
        BlobOrNull{record.numbers}, time, record.category, record.color_argb, record.payload.type,
        record.payload.bits);
}

void TraceWriter::on(const PayloadSchemaRecord& record) {
  waiting_bytes_ += record.fields_json.size();
  write(Sql::kPayloadSchema, record.domain, record.schema, schema::kProcessId, record.name,
        record.fields_json);
}

void TraceWriter::on(const PayloadBlobRecord& record) {
  waiting_bytes_ += record.bytes.size();
  write(Sql::kPayloadBlob, record.range, record.domain, record.schema, Blob{record.bytes});
}

void TraceWriter::on(const ApiRecord& record) {
  const std::int64_t function = function_id(record.domain, record.function);
  const std::optional<std::int64_t> start = relative(record.start_ns);
  write_keyed(Sql::kApiCall, Sql::kApiCallRepeat, api_repeat_, record.correlation, record.depth,
              function, record.thread, start, duration(record.start_ns, record.end_ns),
              record.stack, std::int64_t{record.status});
}

void TraceWriter::on(const KernelRecord& record) {
  const std::int64_t config = config_id(record);
  const std::int64_t queue = queue_id(record);
  const std::int64_t origin = origin_id(record);
  const std::optional<std::int64_t> start = relative(record.start_ns);
  ++waiting_.kernels;
  write_keyed(Sql::kKernel, Sql::kKernelRepeat, kernel_repeat_, record.correlation, origin, start,
              duration(record.start_ns, record.end_ns), config, queue);
}

void TraceWriter::on(const MemcpyRecord& record) {
  const std::int64_t queue = queue_id(record);
  const std::int64_t origin = origin_id(record);
  const std::optional<std::int64_t> start = relative(record.start_ns);
  ++waiting_.copies;
  write_keyed(Sql::kMemcpy, Sql::kMemcpyRepeat, memcpy_repeat_, record.correlation, origin, start,
              duration(record.start_ns, record.end_ns), queue, record.bytes,
              std::uint32_t{record.copy_kind}, record.source, record.destination,
              std::uint32_t{record.async}, record.peer_device, record.count);
}

void TraceWriter::on(const MemsetRecord& record) {
  const std::int64_t queue = queue_id(record);
  const std::int64_t origin = origin_id(record);
  const std::optional<std::int64_t> start = relative(record.start_ns);
  ++waiting_.sets;
  write_keyed(Sql::kMemset, Sql::kMemsetRepeat, memset_repeat_, record.correlation, origin, start,
              duration(record.start_ns, record.end_ns), queue, record.bytes, record.value,
              record.memory, std::uint32_t{record.async});
}

void TraceWriter::on(const SyncRecord& record) {
  const std::optional<std::int64_t> start = relative(record.start_ns);
  write(Sql::kSync, schema::kProcessId, record.correlation, record.type, record.context,
        record.stream, record.event, start, duration(record.start_ns, record.end_ns));
}

void TraceWriter::on(const OverheadRecord& record) {
  const std::optional<std::int64_t> start = relative(record.start_ns);
  write(Sql::kOverhead, schema::kProcessId, record.kind, record.os_tid, start,
        duration(record.start_ns, record.end_ns));
}

void TraceWriter::on(const GraphNodeRecord& record) {
  const std::optional<std::int64_t> time = relative(record.time_ns);
  write(Sql::kGraphNode, record.graph_node, record.graph, record.original_node, record.node_type,
        record.thread, record.stack, time);
}

void TraceWriter::on(const ClockSyncRecord& record) {
  write(Sql::kClockSync, schema::kProcessId, record.realtime_ns, record.monotonic_ns,
        record.cupti_ns);
}

void TraceWriter::on(const LossRecord& record) {
  const std::optional<std::int64_t> first = relative(record.first_ns);
  const std::optional<std::int64_t> last = relative(record.last_ns);
  write(Sql::kLoss, record.what, schema::kProcessId, record.count, first, last, record.detail);
}

}  // namespace prof
