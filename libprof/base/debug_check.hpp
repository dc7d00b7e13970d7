// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PROF_DEBUG_CHECK: PROF_CHECK for code that also runs inside a profiled program, which a bug in
// libprof must not end. Release builds compile the condition but never evaluate it, so it must have
// no side effects.
#pragma once

#ifdef NDEBUG
#define PROF_DEBUG_CHECK(condition) static_cast<void>(false && (condition))
#else
#include "libprof/base/check.hpp"
#define PROF_DEBUG_CHECK(condition) PROF_CHECK(condition)
#endif
