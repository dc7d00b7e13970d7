// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PROF_CHECK: asserts conditions that only a bug in libprof can break. Never for bad data, which is
// counted (model/losses.hpp), nor for operations that fail, which return a Result. It aborts, so
// use it in our own programs only; code that runs inside a profiled program uses debug_check.hpp.
// Any thread.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace prof {

/// Prints the failed condition and its location, then aborts.
[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: a bug in libprof: '%s' does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace prof

#define PROF_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::prof::check_failed(#condition, __FILE__, __LINE__))
