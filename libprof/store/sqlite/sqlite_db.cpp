// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/sqlite_db.hpp"

#include <sqlite3.h>

#include <sys/stat.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "libprof/base/glob.hpp"
#include "libprof/store/sqlite/read_guard.hpp"
#include "libprof/store/sqlite/sql_aggregate.hpp"
#include "libprof/store/sqlite/sql_function.hpp"
#include "libprof/store/sqlite/virtual_table.hpp"

namespace prof {
namespace {

constexpr const char* kInMemory = ":memory:";

/// SQLite's own limit: a file's view may hold any pattern.
constexpr std::size_t kMaxPatternBytes = 50'000;
/// SQLite calls it for "text GLOB pattern".
constexpr SqlFunction kGlob{
    "glob", 2, [](std::span<const std::string_view> texts) -> std::optional<std::int64_t> {
      if (texts[0].size() > kMaxPatternBytes) return std::nullopt;
      return matches(texts[1], texts[0]) ? 1 : 0;
    }};

// Advice to the user about an error; empty if SQLite's own message says enough.
std::string_view hint(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "free some space or write elsewhere";
    case SQLITE_IOERR:
      return "is the disk full, or the file size limited (ulimit -f)?";
    case SQLITE_CORRUPT:
      return "the file is damaged or truncated; capture again";
    case SQLITE_NOTADB:
      return "name a trace that prof-run wrote";
    case SQLITE_BUSY:
      return "another program is using the file";
    default:
      return "";
  }
}

std::string one_line(std::string message) {
  for (char& c : message) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return message;
}

std::uint64_t size_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

// Binding fails only for an index that the SQL lacks; the tests run every statement.
void Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
}

void Statement::bind_text(int parameter, std::string_view value) {
  // A null pointer would be stored as NULL, not as the empty text.
  const char* const data = value.data() != nullptr ? value.data() : "";
  sqlite3_bind_text64(statement_.get(), parameter, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_blob(int parameter, std::string_view value) {
  const char* const data = value.data() != nullptr ? value.data() : "";
  sqlite3_bind_blob64(statement_.get(), parameter, data, value.size(), SQLITE_STATIC);
}

void Statement::bind_double(int parameter, double value) {
  sqlite3_bind_double(statement_.get(), parameter, value);
}

void Statement::bind_null(int parameter) { sqlite3_bind_null(statement_.get(), parameter); }

Statement::Step Statement::step() {
  ReadGuard::Step around;
  if (guard_) around = guard_->begin_step({ticks_, unlimited_});
  const int code = sqlite3_step(statement_.get());
  if (guard_) ticks_ = guard_->end_step(around).ticks;
  switch (code & 0xff) {
    case SQLITE_ROW:
      return Step::kRow;
    case SQLITE_DONE:
      return Step::kDone;
    case SQLITE_BUSY:
      return Step::kBusy;
    case SQLITE_CONSTRAINT:
      return Step::kConstraint;
    default:
      return Step::kError;
  }
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  ticks_ = 0;
}

Statement::Step Statement::run() {
  const Step result = step();
  reset();
  return result;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::text(int column) const {
  const auto* const data =
      reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::blob(int column) const {
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Type::kInteger;
    case SQLITE_FLOAT:
      return Type::kReal;
    case SQLITE_TEXT:
      return Type::kText;
    case SQLITE_BLOB:
      return Type::kBlob;
    default:
      return Type::kNull;
  }
}

std::optional<std::string> Statement::first_parameter() const {
  if (sqlite3_bind_parameter_count(statement_.get()) == 0) return std::nullopt;
  const char* const name = sqlite3_bind_parameter_name(statement_.get(), 1);
  return name != nullptr ? name : "?";
}

int Statement::column_count() const { return sqlite3_column_count(statement_.get()); }

std::string Statement::column_name(int column) const {
  const char* const name = sqlite3_column_name(statement_.get(), column);
  return name != nullptr ? name : "";
}

void SqliteDb::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Result<SqliteDb> SqliteDb::open(const std::string& path, Mode mode) {
  constexpr int kWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW;
  if (mode == Mode::kReadWrite) return open(path, kWrite, nullptr);
  const auto wal = mode == Mode::kOwnCopy ? GuardedVfs::Wal::kUsed : GuardedVfs::Wal::kHidden;
  std::uint64_t bytes = size_of(path);
  if (mode == Mode::kOwnCopy) bytes += size_of(path + "-wal");
  return open(path, mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : kWrite,
              std::make_shared<ReadGuard>(wal, bytes));
}

Result<SqliteDb> SqliteDb::open_memory() {
  return open(kInMemory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
}

Result<SqliteDb> SqliteDb::open_for_queries() {
  auto db = open(kInMemory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                 std::make_shared<ReadGuard>(GuardedVfs::Wal::kHidden, 0));
  if (db) db->allow_only({});
  return db;
}

Result<SqliteDb> SqliteDb::open(const std::string& path, int flags,
                                std::shared_ptr<ReadGuard> guard) {
  sqlite3* handle = nullptr;
  const char* const vfs = guard ? guard->vfs_name() : "unix";
  if (vfs == nullptr) return Error{"cannot be opened: out of memory", path, ""};
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   flags | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX, vfs);
  SqliteDb db(path, handle);
  db.guard_ = std::move(guard);
  if (code != SQLITE_OK) return db.error("cannot be opened");
  sqlite3_extended_result_codes(handle, 1);
  if (!db.guard_) return db;
  db.guard_->limit(handle);
  PROF_TRY(db.add_function(kGlob));
  return db;
}

void SqliteDb::allow_only(std::span<const std::string_view> tables) {
  if (guard_) guard_->allow_only(db_.get(), tables);
}

Status SqliteDb::define_view(std::string_view name, const std::string& select) {
  if (guard_ && guard_->add_view(db_.get(), std::string(name), select)) return {};
  return error("cannot be read");
}

bool SqliteDb::has_own_view(std::string_view name) const {
  return guard_ && guard_->is_own_view(name);
}

Status SqliteDb::exec(const char* sql) {
  ReadGuard::Step around;
  if (guard_) around = guard_->begin_step({});
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  if (guard_) static_cast<void>(guard_->end_step(around));
  if (code == SQLITE_OK) return {};
  return error(guard_ ? "cannot be read" : "SQLite failed");
}

Result<Statement> SqliteDb::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return error(guard_ ? "cannot be read" : "SQLite failed");
  return Statement(statement, guard_);
}

namespace {

/// Sets the rights of statements that are prepared during its lifetime.
class Allowing {
 public:
  Allowing(ReadGuard& guard, ReadGuard::Allow what) : guard_(guard) { guard.allow(what); }
  Allowing(const Allowing&) = delete;
  Allowing& operator=(const Allowing&) = delete;
  ~Allowing() { guard_.allow(ReadGuard::Allow::kOurTables); }

 private:
  ReadGuard& guard_;
};

/// Allows changes to the TEMP schema during its lifetime. A private copy of a trace is opened for
/// writing and then made read-only (query_only), which applies to the TEMP schema, too.
class SettingUp {
 public:
  SettingUp(sqlite3* db, ReadGuard& guard)
      : allowing_(guard, ReadGuard::Allow::kAnything), db_(db) {
    sqlite3_exec(db_, "PRAGMA query_only=OFF", nullptr, nullptr, nullptr);
  }
  SettingUp(const SettingUp&) = delete;
  SettingUp& operator=(const SettingUp&) = delete;
  ~SettingUp() { sqlite3_exec(db_, "PRAGMA query_only=ON", nullptr, nullptr, nullptr); }

 private:
  Allowing allowing_;
  sqlite3* db_;
};

}  // namespace

Result<Statement> SqliteDb::prepare_query(std::string_view sql) {
  {
    // Virtual tables declare their columns when they are first named, which no query is allowed to
    // do.
    const Allowing allowing(*guard_, ReadGuard::Allow::kAnything);
    sqlite3_exec(db_.get(), "SELECT 1 FROM json_each('0'),json_tree('0') LIMIT 0", nullptr, nullptr,
                 nullptr);
  }
  // A mistyped column in double quotes must not be taken for a text.
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  const Allowing allowing(*guard_, ReadGuard::Allow::kQuery);
  const auto sqlite_error = [this] {
    const bool refused = sqlite3_errcode(db_.get()) == SQLITE_AUTH;
    return Error{one_line(sqlite3_errmsg(db_.get())), "SQL",
                 refused ? "statements can read only the tables of docs/sql.md" : ""};
  };
  sqlite3_stmt* handle = nullptr;
  const char* rest = nullptr;
  const char* const end = sql.data() + sql.size();
  if (sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()), 0, &handle, &rest) !=
      SQLITE_OK) {
    return sqlite_error();
  }
  Statement statement(handle, guard_, true);
  if (handle == nullptr) return Error{"no statement", "SQL", "give one SELECT"};
  // Blanks and comments may follow, which SQLite compiles to no statement.
  sqlite3_stmt* second = nullptr;
  const int code =
      sqlite3_prepare_v3(db_.get(), rest, static_cast<int>(end - rest), 0, &second, nullptr);
  sqlite3_finalize(second);
  if (code != SQLITE_OK || second != nullptr) {
    return Error{"more than one statement", "SQL", "give one SELECT"};
  }
  if (sqlite3_column_count(handle) == 0 || sqlite3_stmt_readonly(handle) == 0) {
    return Error{"gives no rows", "SQL", "give one SELECT"};
  }
  return statement;
}

Status SqliteDb::add_table(std::shared_ptr<const VirtualTable> table) {
  const SettingUp setting_up(db_.get(), *guard_);
  return create_virtual_table(db_.get(), std::move(table));
}

void SqliteDb::remove_table(std::string_view name) {
  const SettingUp setting_up(db_.get(), *guard_);
  const std::string sql = std::string("DROP TABLE IF EXISTS temp.").append(name);
  sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
}

Status SqliteDb::add_aggregate(const SqlAggregateFunction& function) {
  if (has_function(function.name)) return {};
  PROF_TRY(create_aggregate(db_.get(), function));
  functions_.push_back(function.name);
  return {};
}

Status SqliteDb::add_function(const SqlFunction& function) {
  if (has_function(function.name)) return {};
  PROF_TRY(create_function(db_.get(), function));
  functions_.push_back(function.name);
  return {};
}

bool SqliteDb::has_function(std::string_view name) const {
  return std::ranges::find(functions_, name) != functions_.end();
}

void SqliteDb::on_tick(std::function<void()> tick) { guard_->on_tick(std::move(tick)); }

Status SqliteDb::add_view(std::string_view name, std::string_view select) {
  const SettingUp setting_up(db_.get(), *guard_);
  const std::string sql =
      std::string("CREATE TEMP VIEW ").append(name).append(" AS ").append(select);
  return exec(sql.c_str());
}

Error SqliteDb::error(std::string_view what) const {
  if (!db_) return {std::string(what) + ": out of memory", path_, ""};
  if (guard_ && guard_->exceeded()) {
    return {std::string(what) + ": a table never ends", path_,
            "the file is damaged; capture again"};
  }
  const int code = sqlite3_extended_errcode(db_.get());
  // SQLite's message may quote a damaged file's content; an error is one line.
  std::string message = one_line(sqlite3_errmsg(db_.get()));
  const int reason = (code & 0xff) == SQLITE_IOERR ? sqlite3_system_errno(db_.get()) : 0;
  if (reason != 0) message.append(" (").append(strerrordesc_np(reason)).append(")");
  // A database in memory has no name worth showing.
  const std::string where = path_ == kInMemory ? "" : path_;
  return {std::string(what) + ": " + message, where, std::string(hint(code))};
}

bool SqliteDb::busy() const { return (sqlite3_errcode(db_.get()) & 0xff) == SQLITE_BUSY; }

bool SqliteDb::needs_writing() const {
  const int code = sqlite3_errcode(db_.get()) & 0xff;
  return code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM;
}

bool SqliteDb::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

bool SqliteDb::read_only() const { return sqlite3_db_readonly(db_.get(), "main") != 0; }

bool SqliteDb::read_file(std::uint64_t offset, void* to, std::size_t bytes) {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return false;
  return file->pMethods->xRead(file, to, static_cast<int>(bytes),
                               static_cast<sqlite3_int64>(offset)) == SQLITE_OK;
}

std::uint64_t SqliteDb::file_bytes() const { return guard_ ? guard_->file_bytes() : UINT64_MAX; }

void SqliteDb::abandon() { static_cast<void>(db_.release()); }

Result<std::vector<TableColumn>> table_columns(SqliteDb& db, std::string_view table) {
  Result<Statement> rows = db.prepare("PRAGMA main.table_xinfo(\"" + std::string(table) + "\")");
  if (!rows) return rows.error();
  std::vector<TableColumn> columns;
  Statement::Step step;
  while ((step = rows->step()) == Statement::Step::kRow) {
    columns.push_back({std::string(rows->text(1)), rows->integer(5), rows->integer(6) != 0});
  }
  if (step != Statement::Step::kDone) return db.error("cannot be read");
  return columns;
}

std::string select_from(std::string_view table, std::span<const std::string_view> columns) {
  std::string select;
  for (const std::string_view column : columns) {
    select.append(select.empty() ? "SELECT " : ",").append(column);
  }
  return select.append(" FROM ").append(table);
}

}  // namespace prof
