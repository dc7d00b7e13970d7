// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StringTable: the texts of a trace by id, each read on first use, then kept. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

class StringTable {
 public:
  /// `db` must not move.
  explicit StringTable(SqliteDb& db) : db_(db) {}
  Status prepare();

  /// The text of an id; empty for an unknown id. Valid for the table's lifetime.
  std::string_view text(StringId id);
  /// The first failed lookup, or ok.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void keep(std::string_view text, std::string& to);

  SqliteDb& db_;
  Statement by_id_;
  std::unordered_map<std::uint32_t, std::string> texts_;
  std::uint64_t bytes_ = 0;  // of texts_
  Status status_;
};

}  // namespace prof
