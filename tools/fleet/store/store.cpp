// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements here are understood by ClickHouse from 18.16 on.
#include "tools/fleet/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "tools/fleet/store/chdb_engine.hpp"
#include "tools/fleet/store/http_engine.hpp"

namespace prof::fleet {
namespace {

constexpr std::string_view kVersionTable = "store_version";
constexpr const char* kShard = "_shard";
constexpr std::string_view kWhole = "all ";

bool is_server(std::string_view store) {
  return store.starts_with("http://") || store.starts_with("https://");
}

Status check_words(const StoreWords& words) {
  if (words.store.empty()) {
    return Error{"the store's name is empty", {}, "a store is a folder, or http://HOST:8123"};
  }
  if (!is_server(words.store) && words.store.find("://") < words.store.size()) {
    return Error{"is no store", words.store, "a store is a folder, or http://HOST:8123"};
  }
  if (!is_server(words.store) && !words.cluster.empty()) {
    return Error{"a folder has no cluster", "--cluster", "name one of its servers as the store"};
  }
  constexpr std::array<std::string_view, 3> kEngines = {"", "system", "information_schema"};
  if (std::ranges::find(kEngines, words.database) != kEngines.end()) {
    return Error{"is no database for a store", "--database '" + words.database + "'",
                 "leave it out: it is prof"};
  }
  for (const auto& [option, name] :
       {std::pair{"--cluster", &words.cluster}, std::pair{"--database", &words.database}}) {
    if (name->find_first_of("`\\'\"{}") < name->size()) {
      return Error{"has a quotation mark, a brace or a backslash", option, {}};
    }
  }
  return {};
}

std::string columns_of(const FleetTable& table) {
  std::string text;
  for (const StoredColumn& column : table.columns) {
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", column.name, column.type);
  }
  return text;
}

std::string in_database(std::string_view database, std::string_view name) {
  return fmt::format("`{}`.`{}`", database, name);
}

/// Attempts that count: of each subject the first one, should two have been added at once. Years of
/// traces have millions of subjects: those of other runs than the conditions choose are left out.
std::string counted_attempts(const std::string& added, std::span<const std::string> conditions) {
  const std::string chosen =
      conditions.empty() ? ""
                         : fmt::format(" WHERE subject GLOBAL IN (SELECT subject FROM {} WHERE {})",
                                       added, fmt::join(conditions, " AND "));
  return fmt::format("SELECT min(attempt) FROM {}{} GROUP BY subject", added, chosen);
}

std::string counted_rows(const FleetTable& table, std::string_view database,
                         const Conditions& conditions, bool is_whole) {
  const std::string added = in_database(database, kAdded);
  std::string where;
  const auto require = [&where](const std::string& condition) {
    where += (where.empty() ? " WHERE " : " AND ") + condition;
  };
  for (const std::string& condition : conditions.all) require(condition);
  // A run is chosen as a whole, though one of its traces may have been added with another label.
  std::vector<std::string> of_added = conditions.all;
  if (!conditions.runs.empty()) {
    of_added.push_back(fmt::format("run GLOBAL IN (SELECT run FROM {} WHERE {})", added,
                                   fmt::join(conditions.runs, " AND ")));
    require(of_added.back());
  }
  if (table.name == "facts" && !is_whole) {
    for (const std::string& condition : conditions.facts) require(condition);
  }
  const std::string counted = counted_attempts(added, of_added);
  // Among several sets of a run's traces the largest one counts, among equal ones the latest.
  require(
      table.is_of_run
          ? fmt::format("attempt GLOBAL IN (SELECT argMax(attempt, (ranks, attempt)) FROM {} WHERE "
                        "is_run = 1 AND attempt GLOBAL IN ({}) GROUP BY run)",
                        added, counted)
          : fmt::format("attempt GLOBAL IN ({})", counted));
  // A row of `added` is there twice if the first one's answer was lost.
  const std::string_view once = table.name == kAdded ? " LIMIT 1 BY attempt" : "";
  return fmt::format("(SELECT * FROM {}{}{})", in_database(database, table.name), where, once);
}

}  // namespace

Result<Store> Store::open(const StoreWords& words, Use use) {
  PROF_TRY(check_words(words));
  std::unique_ptr<Engine> engine;
  if (is_server(words.store)) {
    Result<Server> server = server_of(words.store);
    if (!server) return server.error();
    auto opened = open_server(std::move(*server));
    if (!opened) return opened.error();
    engine = std::move(*opened);
  } else {
    auto opened = open_chdb(words.store, use == Use::kAdd);
    if (!opened) return opened.error();
    engine = std::move(*opened);
  }
  Store store(std::move(engine), words);
  PROF_TRY(store.check_version(use));
  return store;
}

std::string Store::table(std::string_view name) const { return in_database(words_.database, name); }

std::string Store::insertion(std::string_view name) const {
  const auto one = std::ranges::find(fleet_tables(), name, &FleetTable::name);
  std::vector<std::string> columns;
  for (const StoredColumn& column : one->columns)
    columns.push_back(fmt::format("`{}`", column.name));
  return fmt::format("INSERT INTO {} ({})", table(name), fmt::join(columns, ", "));
}

Result<std::string> Store::ask(const std::string& sql) {
  std::string answer;
  PROF_TRY(engine_->query(sql + " FORMAT TabSeparated", [&](std::string_view bytes) {
    answer += bytes;
    return true;
  }));
  return answer.substr(0, answer.find_first_of("\t\n"));
}

Status Store::check_cluster() {
  const Result<std::string> servers =
      ask(fmt::format("SELECT count() FROM system.clusters WHERE cluster = '{}'", words_.cluster));
  if (!servers) return servers.error();
  if (*servers != "0") return {};
  return Error{"its configuration has no cluster of that name", engine_->name(),
               "`prof-fleet sql` with SELECT DISTINCT cluster FROM system.clusters lists them"};
}

Status Store::check_version(Use use) {
  if (is_cluster()) PROF_TRY(check_cluster());
  const Result<std::string> there =
      ask(fmt::format("SELECT count() FROM system.tables WHERE database = '{}' AND name = '{}'",
                      words_.database, kVersionTable));
  if (!there) return there.error();
  if (*there == "0" && use == Use::kRead) {
    return Error{"has no fleet's tables", engine_->name(), "prof-fleet add makes them"};
  }
  if (*there == "0") return make();
  const Result<std::string> version =
      ask(fmt::format("SELECT max(version) FROM {}", table(kVersionTable)));
  if (!version) return version.error();
  const int stored = std::atoi(version->c_str());
  if (stored == kSchemaVersion) return {};
  if (stored < kSchemaVersion) return check_older(stored, use);
  return Error{fmt::format("its tables are of version {}, and this prof-fleet, {}, knows versions "
                           "up to {}",
                           stored, PROF_VERSION_STRING, kSchemaVersion),
               engine_->name(), "use a newer prof-fleet"};
}

/// Version 0: a process died while it made the store.
Status Store::check_older(int version, Use use) {
  const std::string what =
      fmt::format("its tables are of version {}, and this prof-fleet needs version {}", version,
                  kSchemaVersion);
  if (use == Use::kRead) {
    return Error{what, engine_->name(), "prof-fleet init adds what they lack, and keeps all rows"};
  }
  const Result<std::string> on_cluster =
      ask(fmt::format("SELECT count() FROM system.tables WHERE database = '{}' AND engine = "
                      "'Distributed'",
                      words_.database));
  if (!on_cluster) return on_cluster.error();
  if (*on_cluster == "0" || is_cluster()) return make();
  return Error{what, engine_->name(),
               "prof-fleet init with --cluster, for each server, adds what they lack"};
}

Status Store::make() {
  PROF_TRY(engine_->execute(fmt::format("CREATE DATABASE IF NOT EXISTS `{}`", words_.database)));
  for (const FleetTable& one : fleet_tables()) {
    const std::string stored = std::string(one.name) + (is_cluster() ? kShard : "");
    PROF_TRY(make_table(one, stored,
                        fmt::format("MergeTree PARTITION BY run ORDER BY ({})", one.order)));
    if (!is_cluster()) continue;
    // All rows of an attempt are on one server, and attempts spread evenly.
    PROF_TRY(make_table(one, std::string(one.name),
                        fmt::format("Distributed(`{}`, `{}`, `{}`, attempt)", words_.cluster,
                                    words_.database, stored)));
  }
  PROF_TRY(engine_->execute(fmt::format(
      "CREATE TABLE IF NOT EXISTS {} (version UInt32) ENGINE = MergeTree ORDER BY version",
      table(kVersionTable))));
  return engine_->execute(
      fmt::format("INSERT INTO {} VALUES ({})", table(kVersionTable), kSchemaVersion));
}

Status Store::make_table(const FleetTable& table, const std::string& name,
                         const std::string& engine) {
  PROF_TRY(engine_->execute(fmt::format("CREATE TABLE IF NOT EXISTS {} ({}) ENGINE = {}",
                                        this->table(name), columns_of(table), engine)));
  const Result<std::string> list =
      ask(fmt::format("SELECT arrayStringConcat(groupArray(name), ',') FROM system.columns WHERE "
                      "database = '{}' AND table = '{}'",
                      words_.database, name));
  if (!list) return list.error();
  const std::string there = fmt::format(",{},", *list);
  for (const StoredColumn& column : table.columns) {
    if (there.find(fmt::format(",{},", column.name)) < there.size()) continue;
    PROF_TRY(engine_->execute(fmt::format("ALTER TABLE {} ADD COLUMN `{}` {}", this->table(name),
                                          column.name, column.type)));
  }
  return {};
}

std::string expand(std::string_view sql, std::string_view database, const Conditions& conditions,
                   const Marks& marks) {
  std::string text;
  // A replacement is not searched for marks: it may contain a user's words.
  while (!sql.empty()) {
    const std::size_t begin = std::min(sql.find('{'), sql.size());
    text += sql.substr(0, begin);
    sql.remove_prefix(begin);
    const std::size_t end = sql.find('}');
    if (end >= sql.size()) break;
    std::string_view name = sql.substr(1, end - 1);
    const bool is_whole = name.starts_with(kWhole);
    if (is_whole) name.remove_prefix(kWhole.size());
    const auto tables = fleet_tables();
    const auto table = std::ranges::find(tables, name, &FleetTable::name);
    const auto mark = marks.find(name);
    if (table == tables.end() && mark == marks.end()) {
      text += sql[0];
      sql.remove_prefix(1);
      continue;
    }
    text +=
        mark != marks.end() ? mark->second : counted_rows(*table, database, conditions, is_whole);
    sql.remove_prefix(end + 1);
  }
  return text.append(sql);
}

}  // namespace prof::fleet
