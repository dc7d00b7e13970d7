// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/row_writer.hpp"

#include <string>

#include "libprof/model/losses.hpp"
#include "libprof/store/schema/tables.hpp"

namespace prof {
namespace {

/// "SELECT max(repeat) FROM t WHERE a=? AND b=?" for a key "a, b, repeat"; empty for others.
std::string largest_repeat(const schema::Table& table) {
  constexpr std::string_view kLast = ", repeat";
  if (!table.primary_key.ends_with(kLast)) return {};
  const std::string_view others =
      table.primary_key.substr(0, table.primary_key.size() - kLast.size());
  const std::size_t comma = others.find(", ");
  std::string sql = "SELECT max(repeat) FROM ";
  sql.append(table.name).append(" WHERE ").append(others.substr(0, comma));
  return sql.append("=? AND ").append(others.substr(comma + 2)).append("=?");
}

Status prepare_into(SqliteDb& db, std::string_view sql, Statement& statement) {
  Result<Statement> prepared = db.prepare(sql);
  if (!prepared) return prepared.error();
  statement = std::move(*prepared);
  return {};
}

}  // namespace

Status RowWriter::prepare() {
  PROF_TRY(prepare_into(db_, "BEGIN IMMEDIATE", begin_));
  PROF_TRY(prepare_into(db_, "COMMIT", commit_));
  PROF_TRY(prepare_into(db_, "ROLLBACK", rollback_));
  inserts_.resize(schema::kTables.size());
  repeats_.resize(schema::kTables.size());
  for (std::size_t i = 0; i < schema::kTables.size(); ++i) {
    if (!schema::kTables[i].select.empty()) continue;
    PROF_TRY(prepare_into(db_, schema::insert(schema::kTables[i]), inserts_[i]));
    const std::string repeat = largest_repeat(schema::kTables[i]);
    if (!repeat.empty()) PROF_TRY(prepare_into(db_, repeat, repeats_[i]));
  }
  return {};
}

bool RowWriter::start_transaction() {
  in_transaction_ = begin_.run() == Statement::Step::kDone;
  if (!in_transaction_) fail_to_write();
  return in_transaction_;
}

void RowWriter::run(std::string_view sql, std::string_view value) {
  if (!begin()) return;
  Statement statement;
  Status done = prepare_into(db_, sql, statement);
  if (!done) return fail(done.error());
  statement.bind_text(1, value);
  if (statement.run() != Statement::Step::kDone) fail_to_write();
}

void RowWriter::set_start(std::int64_t start_realtime_ns) {
  start_known_ = true;
  start_ns_ = start_realtime_ns;
  put_start();
}

void RowWriter::put_start() {
  put<schema::kMetaTable>(std::string_view("start_realtime_ns"),
                          std::string_view(std::to_string(start_ns_)));
}

std::uint64_t RowWriter::commit() {
  if (!is_writing() || !in_transaction_) return 0;
  if (commit_.run() != Statement::Step::kDone) {
    fail_to_write();
    return 0;
  }
  in_transaction_ = false;
  waiting_bytes_ = 0;
  return std::exchange(waiting_rows_, 0);
}

void RowWriter::fail(Error error) {
  if (!is_writing()) return;
  if (status_) status_ = std::move(error);
  state_ = State::kFailed;
  lost_records_ += std::exchange(waiting_rows_, 0);
  waiting_bytes_ = 0;
  if (db_.in_transaction()) rollback_.run();
  in_transaction_ = false;
}

bool RowWriter::store_lost() {
  if (state_ == State::kClosed) return false;
  if (lost_records_ == stored_lost_records_) return true;
  if (begin_.run() != Statement::Step::kDone) return false;
  const std::string detail = status_ ? std::string() : status_.error().to_line();
  const LossRecord loss{info(Loss::kStoreError).word, lost_records_ - stored_lost_records_, 0, 0,
                        detail};
  const bool is_stored =
      insert(loss) == Statement::Step::kDone && commit_.run() == Statement::Step::kDone;
  if (is_stored) stored_lost_records_ = lost_records_;
  if (db_.in_transaction()) rollback_.run();
  return is_stored;
}

void RowWriter::restart() {
  if (!has_failed()) return;
  state_ = State::kWriting;
  if (start_known_) put_start();
}

void RowWriter::lose_file(std::uint64_t committed_rows, Error error) {
  fail(std::move(error));
  state_ = State::kClosed;
  lost_records_ += committed_rows;
}

void RowWriter::close() {
  state_ = State::kClosed;
  for (Statement* const one : {&begin_, &commit_, &rollback_}) *one = Statement();
  inserts_.clear();
  repeats_.clear();
  db_.close();
}

void RowWriter::abandon() {
  db_.abandon();
  for (Statement* const one : {&begin_, &commit_, &rollback_}) one->abandon();
  for (Statement& one : inserts_) one.abandon();
  for (Statement& one : repeats_) one.abandon();
}

}  // namespace prof
