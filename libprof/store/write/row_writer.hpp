// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowWriter: rows of a trace's tables, in transactions. Knows when the trace started, and the
// number of rows that wait for the commit. An error loses the waiting rows; afterwards rows are
// counted as lost and not written, until restart(). One thread at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/schema/wrapping_times.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "libprof/store/write/bind.hpp"

namespace prof {

namespace schema {
/// A table's index in the schema (schema/tables.hpp).
constexpr std::size_t index_of(std::string_view table);
}  // namespace schema

class RowWriter {
 public:
  /// A time relative to the trace's start; absent: unknown.
  using Time = std::optional<std::int64_t>;

  /// Finds the next free `repeat` of a key in use; remembers the last key for runs of equal ones.
  struct Repeat {
    std::uint64_t correlation = 0;
    std::int64_t second = 0;
    std::int64_t next = 0;
  };

  explicit RowWriter(SqliteDb db) : db_(std::move(db)) {}
  /// To be called once the tables exist.
  Status prepare();

  [[nodiscard]] SqliteDb& db() { return db_; }
  [[nodiscard]] const SqliteDb& db() const { return db_; }
  /// The first error. It is permanent.
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] bool is_writing() const { return state_ == State::kWriting; }
  /// Whether the last transaction failed, and the file may be tried again.
  [[nodiscard]] bool has_failed() const { return state_ == State::kFailed; }

  // Rows. Values are in the order of the table's columns.

  /// Puts a row shared by many records, which is not counted.
  template <const schema::Table& kTable, typename... Values>
  void put(const Values&... values) {
    if (begin() && insert<kTable>(values...) != Statement::Step::kDone) fail_to_write();
  }
  /// Puts a row into a table that keeps an existing row with the key (Conflict::kUpdate, with a
  /// RETURNING). Returns the existing row's value, or else `value`.
  template <const schema::Table& kTable>
  std::int64_t put_or_find(std::int64_t key, std::int64_t value);
  /// Writes a record's row.
  template <const schema::Table& kTable, typename... Values>
  void write(const Values&... values) {
    count();
    count_bytes((bytes_of(values) + ...));
    put<kTable>(values...);
  }
  /// Writes a record's row into a table whose key is correlation, `second` and a repeat that is
  /// found here.
  template <const schema::Table& kTable, typename... Values>
  void write_keyed(Repeat& repeat, std::uint64_t correlation, std::int64_t second,
                   const Values&... values);
  /// Writes a record that is described as one row.
  template <IsOneRow Record>
  void write(const Record& record);
  /// Counts a record whose row is put later.
  void expect(std::uint64_t bytes) {
    count();
    count_bytes(bytes);
  }
  /// Runs any other statement once.
  void run(std::string_view sql, std::string_view value);

  Time relative(std::int64_t time_ns) {
    if (time_ns == 0) return std::nullopt;
    if (!start_known_) set_start(time_ns);
    return wrapping_difference(time_ns, start_ns_);
  }
  void set_start(std::int64_t start_realtime_ns);
  [[nodiscard]] bool start_known() const { return start_known_; }

  // Transactions.

  [[nodiscard]] bool in_transaction() const { return in_transaction_; }
  [[nodiscard]] std::uint64_t waiting_rows() const { return waiting_rows_; }
  [[nodiscard]] std::uint64_t waiting_bytes() const { return waiting_bytes_; }
  [[nodiscard]] std::uint64_t lost_records() const { return lost_records_; }
  /// Returns the number of rows that no longer wait; 0 after an error.
  std::uint64_t commit();
  /// Stores the number of lost records as loss store_error. False: the file cannot be written.
  bool store_lost();
  /// Resumes after an error: rows are written again. Nothing of the failed transaction is in the
  /// file.
  void restart();
  /// The caller keeps the records that follow until they are committed: they are not lost.
  void set_kept(bool are_kept) { are_kept_ = are_kept; }
  /// Counts records that the caller could not keep.
  void lose(std::uint64_t records) { lost_records_ += records; }
  /// The file is gone, and `committed_rows` with it.
  void lose_file(std::uint64_t committed_rows, Error error);

  /// Releases the file; only db().path() and the counts may be used afterwards.
  void close();
  /// To be called in a forked child, which shares the parent's file and could only corrupt it.
  void abandon();

 private:
  enum class State : std::uint8_t { kWriting, kFailed, kClosed };

  [[nodiscard]] bool begin() { return is_writing() && (in_transaction_ || start_transaction()); }
  bool start_transaction();
  void fail(Error error);
  void fail_to_write() { fail(db_.error("cannot write")); }
  void put_start();
  void count() {
    if (!are_kept_) is_writing() ? ++waiting_rows_ : ++lost_records_;
  }
  /// After an error no rows wait.
  void count_bytes(std::uint64_t bytes) {
    if (is_writing()) waiting_bytes_ += bytes;
  }

  template <const schema::Table& kTable, typename... Values>
  Statement::Step insert(const Values&... values) {
    constexpr std::size_t kAssigned = kTable.columns.front().is_assigned ? 1 : 0;
    static_assert(sizeof...(Values) + kAssigned == kTable.columns.size(),
                  "one value for each column");
    constexpr std::size_t kIndex = schema::index_of(kTable.name);
    Statement& row = inserts_[kIndex];
    int parameter = 0;
    (bind_value(row, ++parameter, values), ...);
    return row.run();
  }
  template <IsOneRow Record>
  Statement::Step insert(const Record& record);

  SqliteDb db_;
  Statement begin_, commit_, rollback_;
  std::vector<Statement> inserts_;
  std::vector<Statement> repeats_;  ///< The largest repeat of a key; empty for other tables.
  State state_ = State::kWriting;
  bool in_transaction_ = false, are_kept_ = false;
  bool start_known_ = false;
  std::int64_t start_ns_ = 0;
  std::uint64_t waiting_rows_ = 0;
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t lost_records_ = 0;
  std::uint64_t stored_lost_records_ = 0;
  Status status_;
};

template <const schema::Table& kTable, typename... Values>
void RowWriter::write_keyed(Repeat& repeat, std::uint64_t correlation, std::int64_t second,
                            const Values&... values) {
  count();
  if (!begin()) return;
  const bool again =
      repeat.next != 0 && repeat.correlation == correlation && repeat.second == second;
  std::int64_t number = again ? repeat.next : 0;
  Statement::Step step = insert<kTable>(correlation, second, number, values...);
  if (step == Statement::Step::kConstraint) {
    constexpr std::size_t kIndex = schema::index_of(kTable.name);
    Statement& maximum = repeats_[kIndex];
    bind_value(maximum, 1, correlation);
    bind_value(maximum, 2, second);
    if (maximum.step() == Statement::Step::kRow) number = maximum.integer(0) + 1;
    maximum.reset();
    step = insert<kTable>(correlation, second, number, values...);
    repeat = {correlation, second, number};
  }
  if (step != Statement::Step::kDone) return fail_to_write();
  if (number != 0) repeat.next = number + 1;
}

template <const schema::Table& kTable>
std::int64_t RowWriter::put_or_find(std::int64_t key, std::int64_t value) {
  if (!begin()) return value;
  constexpr std::size_t kIndex = schema::index_of(kTable.name);
  Statement& row = inserts_[kIndex];
  bind_value(row, 1, key);
  bind_value(row, 2, value);
  const bool done = row.step() == Statement::Step::kRow;
  if (done) value = row.integer(0);
  row.reset();
  if (!done) fail_to_write();
  return value;
}

/// Binds the columns of a described record.
template <typename Record>
class ColumnBinder {
 public:
  ColumnBinder(RowWriter& rows, Statement& row, const Record& record)
      : rows_(rows), row_(row), record_(record) {}

  void operator()(const column::Arrival&) {}
  void operator()(const column::Process&) { bind(schema::kProcessId); }
  template <typename Value>
  void operator()(const column::Field<Record, Value>& column) {
    bind(record_.*column.field);
  }
  template <typename Whole, typename Value>
  void operator()(const column::Part<Record, Whole, Value>& column) {
    bind(record_.*column.whole.*column.field);
  }
  void operator()(const column::Text<Record>& column) { bind(TextOrNull{record_.*column.field}); }
  void operator()(const column::Bytes<Record>& column) {
    const std::string_view bytes = record_.*column.field;
    column.null_if_empty ? bind(BlobOrNull{bytes}) : bind(Blob{bytes});
  }
  void operator()(const column::Time<Record>& column) {
    bind(rows_.relative(record_.*column.field));
  }
  void operator()(const column::Duration<Record>& column) {
    bind(duration(record_.*column.start, record_.*column.end));
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  template <typename Value>
  void bind(const Value& value) {
    bytes_ += bytes_of(value);
    bind_value(row_, ++parameter_, value);
  }

  RowWriter& rows_;
  Statement& row_;
  const Record& record_;
  int parameter_ = 0;
  std::uint64_t bytes_ = 0;
};

template <IsOneRow Record>
Statement::Step RowWriter::insert(const Record& record) {
  constexpr std::size_t kIndex = schema::index_of(RecordKind<Record>::kTable.name);
  Statement& row = inserts_[kIndex];
  ColumnBinder<Record> binder(*this, row, record);
  RecordKind<Record>::columns(binder);
  count_bytes(binder.bytes());
  return row.run();
}

template <IsOneRow Record>
void RowWriter::write(const Record& record) {
  if (!start_known_) {
    // The record's first time is the start, which is a row of its own.
    RecordKind<Record>::columns([&]<typename Column>(const Column& one) {
      if constexpr (std::same_as<Column, column::Time<Record>>) {
        static_cast<void>(relative(record.*one.field));
      }
    });
  }
  count();
  if (begin() && insert(record) != Statement::Step::kDone) fail_to_write();
}

}  // namespace prof
