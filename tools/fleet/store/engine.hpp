// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Engine: ClickHouse, wherever it runs: in this process (chdb_engine.hpp) or on a server
// (http_engine.hpp). Statements are the same for both. One thread at a time.
#pragma once

#include <dlfcn.h>

#include <functional>
#include <string>
#include <string_view>

#include "libprof/base/result.hpp"

namespace prof::fleet {

/// Bytes of an answer as they come, in pieces that end anywhere. False: no more is wanted.
using TakeBytes = std::function<bool(std::string_view bytes)>;

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// The answer of a SELECT that ends with its FORMAT, or of any other statement without one.
  /// Errors are the engine's, on one line.
  virtual Status query(const std::string& sql, const TakeBytes& take) = 0;
  /// `rows` are in RowBinary; `statement` ends before FORMAT. An error may be said although the
  /// rows are stored: the answer can be lost on its way.
  virtual Status insert(const std::string& statement, std::string_view rows) = 0;
  /// The last error was none of the engine's: the statement or its answer was lost on the way, and
  /// may have been carried out.
  [[nodiscard]] virtual bool was_lost() const { return false; }
  /// The start of an error's line: a folder, or a server without its password.
  [[nodiscard]] virtual std::string name() const = 0;

  Status execute(const std::string& sql) {
    return query(sql, [](std::string_view) { return true; });
  }
};

/// Looks up a function of a library that an engine loads. False: it has no such function.
template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// Tries again what was lost on its way, five times in all, with pauses that double from 0.25 s.
Status with_attempts(const Engine& engine, const std::function<Status()>& attempt);

/// The engine's message without versions, stacks and line breaks: "Table x does not exist".
std::string one_line(std::string_view message);

}  // namespace prof::fleet
