// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SqlAggregate: an aggregate function of an SQL connection, computed by the program. One thread,
// the connection's.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "libprof/base/result.hpp"

struct sqlite3;

namespace prof {

/// The values of one group.
class SqlAggregate {
 public:
  virtual ~SqlAggregate() = default;
  /// Adds a number of the group. NULL is left out; a text counts as the number it begins with, as
  /// in SQLite's own aggregates.
  virtual void add(double value) = 0;
  /// The aggregate's value; absent stands for NULL. Called once, after all values.
  [[nodiscard]] virtual std::optional<double> result() = 0;
};

struct SqlAggregateFunction {
  std::string_view name;  ///< A word: letters, digits and '_'. Valid forever.
  std::unique_ptr<SqlAggregate> (*begin)() = nullptr;
};

/// Adds a function of one argument to a connection. Called by SqliteDb::add_aggregate().
Status create_aggregate(sqlite3* db, const SqlAggregateFunction& function);

}  // namespace prof
