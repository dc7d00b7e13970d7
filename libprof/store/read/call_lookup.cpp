// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/call_lookup.hpp"

#include <utility>

namespace prof {

CallLookup::CallLookup(std::shared_ptr<TraceTables> tables) : tables_(std::move(tables)) {
  if (tables_ == nullptr) return;
  Result<Statement> prepared = tables_->db.prepare(
      "SELECT function_id,thread_id,range_id FROM api_call WHERE correlation=? ORDER BY depth "
      "LIMIT 1");
  if (prepared) {
    call_ = std::move(*prepared);
  } else {
    status_ = prepared.error();
  }
}

FoundCall CallLookup::find(Correlation correlation) {
  FoundCall found;
  if (correlation == 0 || tables_ == nullptr || !status_) return found;
  call_.bind(1, static_cast<std::int64_t>(correlation));
  const Statement::Step step = call_.step();
  if (step == Statement::Step::kRow) {
    found.is_known = true;
    found.function = row_or_default(tables_->functions, call_.integer(0)).name;
    found.thread = ThreadId{static_cast<std::uint32_t>(call_.integer(1))};
    found.range = call_.unsigned_integer(2);
  } else if (step != Statement::Step::kDone) {
    status_ = tables_->db.error("cannot be read");
  }
  call_.reset();
  return found;
}

}  // namespace prof
