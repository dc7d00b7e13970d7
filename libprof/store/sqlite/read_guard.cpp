// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/read_guard.hpp"

#include <algorithm>
#include <array>

namespace prof {
namespace {

// Steps of SQLite's virtual machine. The costliest statement takes 2 per byte of the file.
constexpr int kStepsPerTick = 4096;
constexpr std::uint64_t kFreeSteps = std::uint64_t{1} << 24;
constexpr std::uint64_t kStepsPerByte = 8;

/// Far more than libprof's statements and users' own views need: no text has more than 16 MiB.
struct Limit {
  int id;
  int value;
};
constexpr std::array kLimits = {
    Limit{SQLITE_LIMIT_LENGTH, 1 << 25},           Limit{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    Limit{SQLITE_LIMIT_EXPR_DEPTH, 200},           Limit{SQLITE_LIMIT_COMPOUND_SELECT, 100},
    Limit{SQLITE_LIMIT_VDBE_OP, 25'000},           Limit{SQLITE_LIMIT_ATTACHED, 0},
    Limit{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, Limit{SQLITE_LIMIT_VARIABLE_NUMBER, 500},
    Limit{SQLITE_LIMIT_TRIGGER_DEPTH, 1},          Limit{SQLITE_LIMIT_WORKER_THREADS, 0},
};

constexpr std::array<std::string_view, 7> kFunctions = {"count", "ifnull", "instr", "char",
                                                        "like",  "min",    "max"};
// The names of the schema itself.
constexpr std::array<std::string_view, 2> kSchema = {"sqlite_master", "sqlite_schema"};
constexpr std::array<std::string_view, 2> kJsonTables = {"json_each", "json_tree"};
constexpr std::array<std::string_view, 2> kPragmas = {"table_xinfo", "page_count"};

template <typename Names>
bool contains(const Names& names, const char* name) {
  return name != nullptr && std::ranges::find(names, std::string_view(name)) != names.end();
}

}  // namespace

void ReadGuard::limit(sqlite3* db) {
  for (const Limit& one : kLimits) sqlite3_limit(db, one.id, one.value);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  max_ticks_ = (kFreeSteps + kStepsPerByte * file_bytes_) / kStepsPerTick;
  sqlite3_progress_handler(db, kStepsPerTick, tick, this);
}

int ReadGuard::tick(void* self) {
  auto& guard = *static_cast<ReadGuard*>(self);
  try {
    if (guard.on_tick_) guard.on_tick_();
  } catch (const std::exception&) {
    return 1;  // out of memory; no exception crosses SQLite's frames
  }
  if (guard.step_.unlimited) return 0;
  guard.exceeded_ = ++guard.step_.ticks > guard.max_ticks_;
  return guard.exceeded_ ? 1 : 0;
}

void ReadGuard::allow_only(sqlite3* db, std::span<const std::string_view> tables) {
  tables_.assign(tables.begin(), tables.end());
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_set_authorizer(db, authorize, this);
}

bool ReadGuard::add_view(sqlite3* db, const std::string& name, const std::string& select) {
  sqlite3_set_authorizer(db, nullptr, nullptr);
  // A private copy is opened for writing and then made read-only, which applies to views, too.
  const std::string sql = "PRAGMA query_only=OFF; CREATE TEMP VIEW \"" + name + "\" AS " + select +
                          "; PRAGMA query_only=ON";
  const bool made = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_set_authorizer(db, authorize, this);
  views_.push_back(name);
  return made;
}

bool ReadGuard::is_own_view(std::string_view name) const {
  return std::ranges::find(views_, name) != views_.end();
}

bool ReadGuard::is_allowed(std::string_view table) const {
  return std::ranges::find(tables_, table) != tables_.end() ||
         std::ranges::find(kSchema, table) != kSchema.end();
}

bool ReadGuard::is_query(int action, const char* first, const char* second,
                         const char* database) const {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return true;
    case SQLITE_READ: {
      // Without a column, the rows of a table or of a name in a WITH clause are counted.
      if (second == nullptr || *second == '\0') return true;
      if (database != nullptr && std::string_view(database) == "temp") return true;
      return first != nullptr && (is_allowed(first) || contains(kJsonTables, first));
    }
    case SQLITE_FUNCTION:
      return second != nullptr && std::string_view(second) != "load_extension";
    default:
      return false;
  }
}

int ReadGuard::authorize(void* self, int action, const char* first, const char* second,
                         const char* database, const char* view) {
  const ReadGuard& guard = *static_cast<ReadGuard*>(self);
  if (guard.allow_ == Allow::kAnything) return SQLITE_OK;
  if (guard.allow_ == Allow::kQuery) {
    return guard.is_query(action, first, second, database) ? SQLITE_OK : SQLITE_DENY;
  }
  bool allowed = false;
  switch (action) {
    case SQLITE_SELECT:
      allowed = true;
      break;
    case SQLITE_READ:
      allowed = first != nullptr && guard.is_allowed(first);
      break;
    case SQLITE_FUNCTION:
      allowed = contains(kFunctions, second);
      break;
    case SQLITE_PRAGMA:
      allowed = contains(kPragmas, first);
      break;
    default:
      break;
  }
  return allowed && (view == nullptr || guard.is_own_view(view)) ? SQLITE_OK : SQLITE_DENY;
}

}  // namespace prof
