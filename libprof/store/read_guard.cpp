// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read_guard.hpp"

#include <algorithm>
#include <array>

namespace prof {
namespace {

// Steps of SQLite's virtual machine. The dearest statement takes 2 for a byte of the file.
constexpr int kStepsPerTick = 4096;
constexpr std::uint64_t kFreeSteps = std::uint64_t{1} << 24;
constexpr std::uint64_t kStepsPerByte = 8;

/// Far above what our own statements and a person's own views need.
struct Limit {
  int id;
  int value;
};
constexpr std::array kLimits = {
    Limit{SQLITE_LIMIT_LENGTH, 1 << 28},           Limit{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    Limit{SQLITE_LIMIT_EXPR_DEPTH, 200},           Limit{SQLITE_LIMIT_COMPOUND_SELECT, 100},
    Limit{SQLITE_LIMIT_VDBE_OP, 25'000},           Limit{SQLITE_LIMIT_ATTACHED, 0},
    Limit{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, Limit{SQLITE_LIMIT_VARIABLE_NUMBER, 100},
    Limit{SQLITE_LIMIT_TRIGGER_DEPTH, 1},          Limit{SQLITE_LIMIT_WORKER_THREADS, 0},
};

constexpr std::array<std::string_view, 7> kFunctions = {"count", "ifnull", "instr", "char",
                                                        "like",  "min",    "max"};
// The schema itself, under both of its names.
constexpr std::array<std::string_view, 2> kSchema = {"sqlite_master", "sqlite_schema"};
constexpr std::array<std::string_view, 2> kPragmas = {"table_xinfo", "page_count"};

template <typename Words>
bool holds(const Words& words, const char* word) {
  return word != nullptr && std::ranges::find(words, std::string_view(word)) != words.end();
}

}  // namespace

void ReadGuard::bound(sqlite3* db) {
  for (const Limit& limit : kLimits) sqlite3_limit(db, limit.id, limit.value);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  max_ticks_ = (kFreeSteps + kStepsPerByte * file_bytes_) / kStepsPerTick;
  sqlite3_progress_handler(db, kStepsPerTick, tick, this);
}

int ReadGuard::tick(void* self) {
  auto& guard = *static_cast<ReadGuard*>(self);
  guard.exceeded_ = ++guard.ticks_ > guard.max_ticks_;
  return guard.exceeded_ ? 1 : 0;
}

void ReadGuard::allow_only(sqlite3* db, std::span<const std::string_view> tables) {
  tables_.assign(tables.begin(), tables.end());
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_set_authorizer(db, authorize, this);
}

bool ReadGuard::is_allowed(std::string_view table) const {
  return std::ranges::find(tables_, table) != tables_.end() ||
         std::ranges::find(kSchema, table) != kSchema.end();
}

int ReadGuard::authorize(void* self, int action, const char* first, const char* second,
                         const char* /*database*/, const char* view) {
  const ReadGuard& guard = *static_cast<ReadGuard*>(self);
  bool allowed = false;
  switch (action) {
    case SQLITE_SELECT:
      allowed = true;
      break;
    case SQLITE_READ:
      allowed = first != nullptr && guard.is_allowed(first);
      break;
    case SQLITE_FUNCTION:
      allowed = holds(kFunctions, second);
      break;
    case SQLITE_PRAGMA:
      allowed = holds(kPragmas, first);
      break;
    default:
      break;
  }
  return allowed && view == nullptr ? SQLITE_OK : SQLITE_DENY;
}

}  // namespace prof
