// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value or an Error, for operations that can fail for reasons outside the program
// (files, input, drivers). Not for bugs and not for bad records: a bad record is counted as a loss
// (model/records.hpp) and work continues. No exception crosses a library boundary.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "libprof/base/debug_check.hpp"

namespace prof {

/// One failed operation, described so that a person can act: the failure, its place (file, line,
/// option) and the remedy. Printed as "WHERE: WHAT; HINT" by to_line().
struct Error {
  std::string what;
  std::string where;
  std::string hint;

  [[nodiscard]] std::string to_line() const {
    std::string line = where.empty() ? what : where + ": " + what;
    return hint.empty() ? line : line + "; " + hint;
  }
};

/// A value of type T, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// May be called only if ok().
  T& value() & {
    PROF_DEBUG_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    PROF_DEBUG_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    PROF_DEBUG_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// May be called only if not ok().
  [[nodiscard]] const Error& error() const {
    PROF_DEBUG_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    PROF_DEBUG_CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace prof

/// Returns an Error to the caller; otherwise continues.
#define PROF_TRY(expression)                                     \
  do {                                                           \
    if (auto prof_try_status = (expression); !prof_try_status) { \
      return prof_try_status.error();                            \
    }                                                            \
  } while (false)
