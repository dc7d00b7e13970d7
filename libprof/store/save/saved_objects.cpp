// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/save/saved_objects.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

#include "libprof/base/ascii.hpp"
#include "libprof/store/schema/schema.hpp"

namespace prof {
namespace {

constexpr std::array<std::string_view, 2> kPrefixes = {"saved_", "attributed_"};
constexpr std::string_view kAnalysis = "saved_analysis";

struct Object {
  std::string type, sql;
  /// It has pages of its own, so it is not a virtual table.
  bool stored = false;
};
using Objects = std::map<std::string, Object, std::less<>>;  // by name

/// The file's objects with names that begin like ours.
struct FoundObjects {
  Objects objects;
  std::vector<std::string> indexed;  ///< Tables that have an index.
  bool has_trigger = false;
};

bool has_our_prefix(std::string_view name) {
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

/// The objects that this version creates, as SQLite stores them.
Objects expected_objects() {
  Objects expected;
  for (const schema::Table& table : schema::saved_tables()) {
    expected.emplace(table.name, Object{"table", schema::create(table), true});
  }
  for (const schema::View& view : schema::saved_views()) {
    expected.emplace(view.name, Object{"view", schema::create(view), false});
  }
  return expected;
}

std::string checksum(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  return {digits.data(), end};
}

std::string line_of(std::string_view name, const Object& object) {
  return object.type + ' ' + std::string(name) + ' ' + checksum(object.sql) + '\n';
}

/// The objects in the form of saved_analysis.objects: table names before view names.
std::string list_of(const Objects& objects) {
  std::string list;
  for (const auto& [name, object] : objects) list += line_of(name, object);
  return list;
}

Result<FoundObjects> read_objects(SqliteDb& db) {
  Result<Statement> rows = db.prepare("SELECT type,name,tbl_name,rootpage,sql FROM sqlite_schema");
  if (!rows) return rows.error();
  FoundObjects found;
  Statement::Step step;
  while ((step = rows->step()) == Statement::Step::kRow) {
    const std::string type(rows->text(0));
    std::string name = lower(rows->text(1));
    found.has_trigger |= type == "trigger";
    if (type == "index") found.indexed.push_back(lower(rows->text(2)));
    if (!has_our_prefix(name)) continue;
    found.objects.insert_or_assign(std::move(name),
                                   Object{type, std::string(rows->text(4)), rows->integer(3) > 0});
  }
  if (step != Statement::Step::kDone) return db.error("cannot be read");
  return found;
}

struct Record {
  std::string analyzers, domains, objects;
};

/// To be called only if saved_analysis is known to be ours.
Result<Record> read_record(SqliteDb& db) {
  Result<Statement> row =
      db.prepare("SELECT analyzers,domains,objects FROM main.saved_analysis WHERE id=1");
  if (!row) return row.error();
  const Statement::Step step = row->step();
  if (step == Statement::Step::kDone) return Record{};
  if (step != Statement::Step::kRow) return db.error("cannot be read");
  return Record{std::string(row->text(0)), std::string(row->text(1)), std::string(row->text(2))};
}

bool same(const Object& a, const Object& b) {
  return a.type == b.type && a.sql == b.sql && a.stored == b.stored;
}

Error foreign_object(const SqliteDb& db, std::string_view name) {
  return {"has " + std::string(name) + ", which prof-report did not make", db.path(),
          "rename or drop it, then save again"};
}

}  // namespace

Result<SavedObjects> inspect_saved(SqliteDb& db, const SavedKey& key) {
  Result<FoundObjects> found = read_objects(db);
  if (!found) return found.error();
  if (found->has_trigger) {
    return Error{"has a trigger, which no capture makes", db.path(), "drop it, then save again"};
  }
  const Objects expected = expected_objects();
  const Objects& present = found->objects;
  const auto analysis = present.find(kAnalysis);
  Record record;
  if (analysis != present.end() && same(analysis->second, expected.find(kAnalysis)->second)) {
    Result<Record> read = read_record(db);
    if (!read) return read.error();
    record = std::move(*read);
  }
  SavedObjects result;
  for (const auto& [name, object] : present) {
    const bool plain = object.type == "view" || (object.type == "table" && object.stored);
    const bool listed = plain && record.objects.find(line_of(name, object)) != std::string::npos;
    if (!listed) {
      // A user's own "saved_queries" is left alone.
      if (expected.contains(name)) return foreign_object(db, object.type + " " + name);
      continue;
    }
    if (std::ranges::find(found->indexed, name) != found->indexed.end()) {
      return foreign_object(db, "an index on table " + name);
    }
    result.drops.push_back("DROP " + object.type + " main." + name);
  }
  if (result.drops.empty()) return result;
  const bool fresh = record.analyzers == key.analyzers && record.domains == key.domains &&
                     record.objects == list_of(expected);
  const bool complete = std::ranges::all_of(expected, [&](const auto& one) {
    const auto here = present.find(one.first);
    return here != present.end() && same(here->second, one.second);
  });
  result.state = fresh && complete ? SavedObjects::State::kFresh : SavedObjects::State::kStale;
  return result;
}

Status record_saved(SqliteDb& db, const SavedKey& key) {
  Result<Statement> row = db.prepare("INSERT INTO main.saved_analysis VALUES(1,?,?,?)");
  if (!row) return row.error();
  const std::string objects = list_of(expected_objects());
  row->bind_text(1, key.analyzers);
  row->bind_text(2, key.domains);
  row->bind_text(3, objects);
  if (row->run() != Statement::Step::kDone) return db.error("cannot be saved into");
  return {};
}

}  // namespace prof
