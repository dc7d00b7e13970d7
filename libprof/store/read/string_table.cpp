// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/string_table.hpp"

#include <utility>

namespace prof {

Status StringTable::prepare() {
  Result<Statement> prepared = db_.prepare("SELECT text FROM string WHERE id=?");
  if (!prepared) return prepared.error();
  by_id_ = std::move(*prepared);
  return {};
}

std::string_view StringTable::text(StringId id) {
  if (!id) return {};
  const auto [found, is_new] = texts_.try_emplace(id.value);
  if (is_new) {
    by_id_.bind(1, id.value);
    const Statement::Step step = by_id_.step();
    if (step == Statement::Step::kRow) {
      keep(by_id_.text(0), found->second);
    } else if (step != Statement::Step::kDone && status_) {
      status_ = db_.error("cannot be read");
    }
    by_id_.reset();
  }
  return found->second;
}

void StringTable::keep(std::string_view text, std::string& to) {
  // Rows do not share bytes of the file; only a damaged file yields more than its size.
  bytes_ += text.size();
  if (bytes_ <= db_.file_bytes()) {
    to = text;
  } else if (status_) {
    status_ = Error{"is damaged: texts share their bytes", db_.path(), "capture again"};
  }
}

}  // namespace prof
