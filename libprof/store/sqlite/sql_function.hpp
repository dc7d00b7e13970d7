// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SqlFunction: a function of texts in the SQL of a connection, computed by the program. One thread,
// the connection's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "libprof/base/result.hpp"

struct sqlite3;

namespace prof {

struct SqlFunction {
  static constexpr std::size_t kMaxArguments = 2;

  std::string_view name;      ///< A word: letters, digits and '_'. Valid forever.
  std::size_t arguments = 1;  ///< Number of arguments; if one of them is NULL, the result is.
  /// Computes the result; absent stands for NULL. Must not throw.
  std::optional<std::int64_t> (*call)(std::span<const std::string_view> texts) = nullptr;
};

/// Adds the function to a connection; `function` must outlive it.
Status create_function(sqlite3* db, const SqlFunction& function);

}  // namespace prof
