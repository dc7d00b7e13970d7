// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/append_loss.hpp"

#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/descriptor_guard.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

Status append_loss(const std::string& path, const LossRecord& record) {
  install_descriptor_guard();
  Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kReadWrite);
  if (!db) return db.error();
  Result<Statement> loss = db->prepare(
      "INSERT INTO loss(what,process_id,count,detail) VALUES(?,?,?,?) "
      "ON CONFLICT(what) DO UPDATE SET count=count+excluded.count");
  if (!loss) return loss.error();
  loss->bind_text(1, record.what);
  loss->bind(2, schema::kProcessId);
  loss->bind(3, static_cast<std::int64_t>(record.count));
  loss->bind_text(4, record.detail);
  return loss->run() == Statement::Step::kDone ? Status{} : Status{db->error("cannot write")};
}

}  // namespace prof
