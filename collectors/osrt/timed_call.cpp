// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/osrt/timed_call.hpp"

#include <pthread.h>

#include <cstring>

namespace prof::collectors {
namespace {

constexpr const char* kNames[] = {
#define PROF_OS_NAME(name) #name,
#include "collectors/osrt/os_functions.inc"
};

bool is_of_this_library(void* place) noexcept {
  static constexpr char kHere = 0;
  Dl_info here{}, there{};
  return place != nullptr && dladdr(&kHere, &here) != 0 && dladdr(place, &there) != 0 &&
         here.dli_fbase == there.dli_fbase;
}

}  // namespace

void* RealFunction::find() noexcept {
  void* found = dlsym(RTLD_NEXT, symbol_);
  // A program with a dlsym of its own looks for the next symbol after itself: that is our function.
  if (is_of_this_library(found)) {
    void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (libc != nullptr) found = dlsym(libc, symbol_);
  }
  // Conditions changed their layout in glibc 2.3.2. dlsym() finds the version of today's programs,
  // but some libc find the first one after RTLD_NEXT.
  if (std::strcmp(symbol_, "pthread_cond_wait") == 0 ||
      std::strcmp(symbol_, "pthread_cond_timedwait") == 0) {
    void* first = dlvsym(RTLD_NEXT, symbol_, "GLIBC_2.2.5");
    void* current = dlvsym(RTLD_NEXT, symbol_, "GLIBC_2.3.2");
    if (found == first && current != nullptr) found = current;
  }
  address_.store(found, std::memory_order_relaxed);
  return found;
}

void after_call(OsCalls::Report report, OsFunction function, std::int64_t start_ns,
                const void* caller) {
  const std::int64_t end_ns = now_ns();
  // A report has no cancellation points. The state is left alone: glibc forgets the result of a
  // thread that is cancelled as it enables cancellation.
  int before = PTHREAD_CANCEL_DEFERRED;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
  report(static_cast<std::uint32_t>(function), start_ns, end_ns, caller);
  pthread_setcanceltype(before, nullptr);
}

}  // namespace prof::collectors

constinit prof::collectors::OsCalls prof_os_calls_v1 = {
    sizeof(prof::collectors::OsCalls),
    static_cast<std::uint32_t>(prof::collectors::OsFunction::kCount),
    prof::collectors::kNames,
    nullptr,
};
