// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrappers of os_functions.inc.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <cstdio>

#include "collectors/osrt/timed_call.hpp"

namespace prof::collectors {
namespace {

#define PROF_OS_CALL(result, symbol, name, parameters, arguments) \
  constinit RealFunction real_##symbol(#symbol);
#include "collectors/osrt/os_functions.inc"

/// Runs before main: a signal handler, or a child of vfork, should not have to look them up.
__attribute__((constructor)) void find_all() {
#define PROF_OS_CALL(result, symbol, name, parameters, arguments) real_##symbol.find();
#include "collectors/osrt/os_functions.inc"
}

}  // namespace
}  // namespace prof::collectors

#define PROF_OS_CALL(result, symbol, name, parameters, arguments)                        \
  PROF_OS_WRAPPER(result, symbol, parameters);                                           \
  result wrapped_##symbol parameters {                                                   \
    return prof::collectors::timed_call(                                                 \
        prof::collectors::OsFunction::k_##name,                                          \
        prof::collectors::real_##symbol.as<result parameters>() PROF_OS_REST arguments); \
  }
// The arguments behind a comma, if there are any.
#define PROF_OS_REST(...) __VA_OPT__(, ) __VA_ARGS__
#include "collectors/osrt/os_functions.inc"
