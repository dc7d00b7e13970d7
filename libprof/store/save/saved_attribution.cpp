// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/save/saved_attribution.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <utility>

#include "libprof/store/read/trace_open.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/db_file.hpp"
#include "libprof/store/sqlite/trace_journal.hpp"

namespace prof {
namespace {

/// Refuses changes that SQLite would make although they could not be undone or would break
/// something.
Status check_file(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return system_error("cannot be opened", path);
  if (S_ISLNK(info.st_mode)) {
    return Error{"is a symbolic link, through which nothing is saved", path,
                 "name the file itself"};
  }
  if (info.st_nlink > 1) {
    // A journal left by a crash is beside one name; under the others the file looks intact.
    return Error{"has several names (hard links)", path, "save into a copy of it"};
  }
  // Checks the file's mode alone: root can write files that are marked read-only.
  if ((info.st_mode & 0222) == 0) {
    return Error{"is read-only", path, "make it writable, or save into a copy of it"};
  }
  return {};
}

Status check_opened(const std::string& path) {
  const Result<OpenedTrace> trace = open_trace(path);
  if (!trace) return trace.error();
  if (!trace->still_written) return {};
  return Error{"is still being written", path, "save when its capture has ended"};
}

/// Repeats open_trace()'s checks, since that may have read a copy.
Status check_beside(const std::string& file, const std::string& path) {
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  const std::string header = opened ? read_at(opened.get(), 0, db_header::kBytes) : std::string();
  if (header.size() < db_header::kBytes) return system_error("cannot be opened", path);
  if (header[db_header::kWriteVersionAt] != db_header::kRollbackMode ||
      header[db_header::kReadVersionAt] != db_header::kRollbackMode) {
    return Error{"is in write-ahead mode", path,
                 "run sqlite3 on it with 'PRAGMA journal_mode=DELETE', then save again"};
  }
  const std::uint32_t size_field = big_endian(header, db_header::kPageSizeAt, 2);
  return check_journal(file, size_field == 1 ? 65536 : size_field);
}

void bind(Statement& row, int parameter, const SavedValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    row.bind(parameter, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    row.bind_double(parameter, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    row.bind_text(parameter, *text);
  } else {
    row.bind_null(parameter);
  }
}

}  // namespace

Result<std::unique_ptr<SavedAttribution>> SavedAttribution::open(const std::string& path,
                                                                 SavedKey key) {
  PROF_TRY(check_opened(path));
  PROF_TRY(check_file(path));
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return system_error("cannot be opened", path);
  std::string file = resolved;
  std::free(resolved);
  PROF_TRY(check_beside(file, path));
  Result<SqliteDb> db = SqliteDb::open(file, SqliteDb::Mode::kChange);
  if (!db) return Error{db.error().what, path, db.error().hint};
  db->show_as(path);
  if (db->read_only()) return Error{"is read-only", path, "save into a copy of it"};
  std::unique_ptr<SavedAttribution> saved(
      new SavedAttribution(std::move(*db), std::move(key), std::move(file)));
  PROF_TRY(saved->inspect());
  if (!saved->is_fresh()) PROF_TRY(saved->collect());
  return saved;
}

/// Changes nothing, but takes the lock that a change needs.
Status SavedAttribution::inspect() {
  PROF_TRY(run("PRAGMA busy_timeout=2000"));
  PROF_TRY(run("BEGIN IMMEDIATE"));
  Result<SavedObjects> objects = inspect_saved(db_, key_);
  if (!objects) return objects.error();
  objects_ = std::move(*objects);
  const Result<State> now = state();
  if (!now) return now.error();
  opened_ = *now;
  return run("ROLLBACK");
}

/// Creates the tables in SQLite's temporary database, an unnamed file.
Status SavedAttribution::collect() {
  PROF_TRY(run("PRAGMA temp_store=FILE"));
  PROF_TRY(run("PRAGMA temp.journal_mode=OFF"));
  PROF_TRY(run("PRAGMA temp.cache_size=-8192"));
  const auto tables = schema::saved_tables().subspan(1);
  PROF_TRY(run("BEGIN"));
  for (std::size_t i = 0; i < kSavedTables; ++i) {
    PROF_TRY(run(schema::create(tables[i]).insert(sizeof("CREATE"), "TEMP ")));
    std::string sql = "INSERT INTO temp." + std::string(tables[i].name) + " VALUES(?";
    for (std::size_t column = 1; column < tables[i].columns.size(); ++column) sql += ",?";
    Result<Statement> insert = db_.prepare(sql + ")");
    if (!insert) return insert.error();
    inserts_[i] = std::move(*insert);
  }
  return {};
}

Status SavedAttribution::add(SavedTable table, std::int64_t id,
                             std::span<const SavedValue> values) {
  Statement& row = inserts_[static_cast<std::size_t>(table)];
  row.bind(1, id);
  for (std::size_t i = 0; i < values.size(); ++i) bind(row, static_cast<int>(i) + 2, values[i]);
  if (row.step() != Statement::Step::kDone) return error();
  row.reset();
  return {};
}

Result<std::int64_t> SavedAttribution::commit() {
  for (Statement& insert : inserts_) insert = {};
  PROF_TRY(run("COMMIT"));  // of the temporary database
  if (const Status changed = change(); !changed) {
    if (db_.in_transaction()) static_cast<void>(db_.exec("ROLLBACK"));
    // After a failed write SQLite leaves its journal to the next reader: let that be us.
    static_cast<void>(db_.exec("SELECT 1 FROM main.sqlite_schema LIMIT 1"));
    return changed.error();
  }
  struct stat info {};
  if (lstat(file_.c_str(), &info) != 0) return system_error("cannot be opened", db_.path());
  return std::int64_t{info.st_size} - std::int64_t{opened_.bytes};
}

Status SavedAttribution::change() {
  // Not only at the end: then no reader forces changed pages to stay in memory.
  PROF_TRY(run("BEGIN EXCLUSIVE"));
  const Result<State> now = state();
  if (!now) return now.error();
  if (*now != opened_) {
    return Error{"was changed by another program meanwhile", db_.path(), "save again"};
  }
  const Result<SavedObjects> objects = inspect_saved(db_, key_);
  if (!objects) return objects.error();
  for (const std::string& drop : objects->drops) PROF_TRY(run(drop));
  for (const schema::Table& table : schema::saved_tables()) PROF_TRY(run(schema::create(table)));
  for (const schema::View& view : schema::saved_views()) PROF_TRY(run(schema::create(view)));
  for (const schema::Table& table : schema::saved_tables().subspan(1)) {
    std::string sql("INSERT INTO main.");
    sql.append(table.name).append(" SELECT * FROM temp.").append(table.name);
    PROF_TRY(run(sql));
  }
  PROF_TRY(record_saved(db_, key_));
  return run("COMMIT");
}

Status SavedAttribution::run(const std::string& sql) {
  return db_.exec(sql.c_str()) ? Status() : Status(error());
}

Result<SavedAttribution::State> SavedAttribution::state() {
  struct stat info {};
  if (lstat(file_.c_str(), &info) != 0) return system_error("cannot be opened", db_.path());
  State now{info.st_dev, info.st_ino, info.st_size, {}};
  if (!db_.read_file(db_header::kChangeCounterAt, now.change_counter.data(),
                     now.change_counter.size())) {
    return Error{"cannot be read", db_.path(), ""};
  }
  return now;
}

Error SavedAttribution::error() const {
  if (db_.busy()) {
    return {"is in use by another program", db_.path(),
            "save when nothing else reads or writes it"};
  }
  Error error = db_.error("cannot be saved into");
  if (db_.needs_writing()) error.hint = "its folder must be writable, too, for SQLite's journal";
  return error;
}

}  // namespace prof
