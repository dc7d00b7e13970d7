// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrappers of functions with "..." arguments. A mode is passed on only if the flags require
// one; the argument of fcntl and ioctl always, as libc itself always reads it.
#include <fcntl.h>
#include <sys/ioctl.h>

#include <cstdarg>

#include "collectors/osrt/timed_call.hpp"

namespace {

using prof::collectors::OsFunction;
using prof::collectors::RealFunction;
using prof::collectors::timed_call;

constinit RealFunction real_open("open"), real_open64("open64"), real_openat("openat"),
    real_openat64("openat64"), real_fcntl("fcntl"), real_fcntl64("fcntl64"), real_ioctl("ioctl");

__attribute__((constructor)) void find_all() {
  for (RealFunction* one : {&real_open, &real_open64, &real_openat, &real_openat64, &real_fcntl,
                            &real_fcntl64, &real_ioctl}) {
    one->find();
  }
}

constexpr bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

}  // namespace

#define PROF_OS_MODE()           \
  mode_t mode = 0;               \
  if (has_mode(flags)) {         \
    va_list rest;                \
    va_start(rest, flags);       \
    mode = va_arg(rest, mode_t); \
    va_end(rest);                \
  }

#define PROF_OS_OPEN(symbol)                                                                  \
  PROF_OS_WRAPPER(int, symbol, (const char* path, int flags, ...));                           \
  int wrapped_##symbol(const char* path, int flags, ...) {                                    \
    PROF_OS_MODE()                                                                            \
    return timed_call(OsFunction::k_##symbol, real_##symbol.as<int(const char*, int, ...)>(), \
                      path, flags, mode);                                                     \
  }
#define PROF_OS_OPENAT(symbol)                                                                     \
  PROF_OS_WRAPPER(int, symbol, (int folder, const char* path, int flags, ...));                    \
  int wrapped_##symbol(int folder, const char* path, int flags, ...) {                             \
    PROF_OS_MODE()                                                                                 \
    return timed_call(OsFunction::k_##symbol, real_##symbol.as<int(int, const char*, int, ...)>(), \
                      folder, path, flags, mode);                                                  \
  }
#define PROF_OS_CONTROL(Request, symbol)                                                        \
  PROF_OS_WRAPPER(int, symbol, (int file, Request request, ...));                               \
  int wrapped_##symbol(int file, Request request, ...) {                                        \
    va_list rest;                                                                               \
    va_start(rest, request);                                                                    \
    void* argument = va_arg(rest, void*);                                                       \
    va_end(rest);                                                                               \
    return timed_call(OsFunction::k_##symbol, real_##symbol.as<int(int, Request, ...)>(), file, \
                      request, argument);                                                       \
  }

PROF_OS_OPEN(open)
PROF_OS_OPEN(open64)
PROF_OS_OPENAT(openat)
PROF_OS_OPENAT(openat64)
PROF_OS_CONTROL(int, fcntl)
PROF_OS_CONTROL(int, fcntl64)
PROF_OS_CONTROL(unsigned long, ioctl)
