// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Store: a fleet's tables in an engine: a folder (chDB), a server, or a cluster of servers. A
// cluster has each table on every server, NAME_shard, and one over all of them, NAME.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/fleet/store/engine.hpp"
#include "tools/fleet/tables/fleet_table.hpp"

namespace prof::fleet {

/// As given on the command line.
struct StoreWords {
  std::string store;         ///< A folder, or http(s)://HOST:PORT.
  std::string cluster = {};  ///< As in the server's configuration; empty: none.
  std::string database = "prof";
};

/// Conditions on the rows that are asked for.
struct Conditions {
  std::vector<std::string> all = {};    ///< Conditions on `run`, which every table has.
  std::vector<std::string> runs = {};   ///< Conditions on runs, by columns of `added`.
  std::vector<std::string> facts = {};  ///< Conditions on `facts`.
};

/// The texts for which {a} and the like in a statement stand.
using Marks = std::map<std::string, std::string, std::less<>>;

/// SQL with {facts}, {steps}, ... replaced by the rows of the database that count, as far as they
/// are asked for ({all facts}: of the runs that are, all GPU work), and other marks by what `marks`
/// says. Understood by any engine.
std::string expand(std::string_view sql, std::string_view database, const Conditions& conditions,
                   const Marks& marks);

class Store {
 public:
  enum class Use : std::uint8_t { kRead, kAdd };

  /// To add, makes what is not there, which brings a store of an older version to the present one.
  /// An error if it is of a newer version, and if it is only read, of an older one or without
  /// tables.
  static Result<Store> open(const StoreWords& words, Use use);

  [[nodiscard]] Engine& engine() { return *engine_; }
  /// "`prof`.`facts`": what statements read and insert into.
  [[nodiscard]] std::string table(std::string_view name) const;
  /// The start of a statement that inserts rows of all columns, in the order of fleet_tables(): the
  /// store's may be another.
  [[nodiscard]] std::string insertion(std::string_view name) const;
  /// For its database.
  [[nodiscard]] std::string expand(std::string_view sql, const Conditions& conditions,
                                   const Marks& marks = {}) const {
    return fleet::expand(sql, words_.database, conditions, marks);
  }

 private:
  Store(std::unique_ptr<Engine> engine, StoreWords words)
      : engine_(std::move(engine)), words_(std::move(words)) {}

  [[nodiscard]] bool is_cluster() const { return !words_.cluster.empty(); }
  /// Makes what is not there: tables, and columns that a later version added.
  Status make();
  Status make_table(const FleetTable& table, const std::string& name, const std::string& engine);
  Status check_older(int version, Use use);
  Status check_cluster();
  Status check_version(Use use);
  /// The first column of a SELECT's first row; empty: there is none.
  Result<std::string> ask(const std::string& sql);

  std::unique_ptr<Engine> engine_;
  StoreWords words_;
};

}  // namespace prof::fleet
