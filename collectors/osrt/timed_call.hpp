// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands between the program and a function that may block, for libprof_osrt.so. A wrapper keeps no
// state and holds no lock while the function runs: a thread that is cancelled in it, or leaves it
// by longjmp, leaves nothing behind, and its call is not reported. A cancellation unwinds through a
// wrapper, in threads that may be cancelled anywhere from any of its instructions: it is not
// noexcept and has no destructors to run, since either would end the program.
//
// Threads: any, in any state: in signal handlers, in a child of vfork, inside malloc or dlopen,
// before the first constructor.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "collectors/osrt/os_calls.hpp"
#include "libprof/base/clock.hpp"

extern "C" __attribute__((visibility("default"))) prof::collectors::OsCalls prof_os_calls_v1;

namespace prof::collectors {

/// Ids of the functions, which index their names in the trace.
enum class OsFunction : std::uint32_t {
#define PROF_OS_NAME(name) k_##name,
#include "collectors/osrt/os_functions.inc"
  kCount
};

/// The real function behind an interposed one: the next in the order of libraries, which may be a
/// sanitizer's.
class RealFunction {
 public:
  explicit constexpr RealFunction(const char* symbol) noexcept : symbol_(symbol) {}

  template <typename Function>
  [[nodiscard]] Function* as() noexcept {
    void* found = address_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]]
      found = find();
    return reinterpret_cast<Function*>(found);
  }
  /// Looks up the function; every thread finds the same. Does not use malloc.
  void* find() noexcept;

 private:
  const char* const symbol_;
  std::atomic<void*> address_{nullptr};
};

/// Reports a call that has returned.
void after_call(OsCalls::Report report, OsFunction function, std::int64_t start_ns,
                const void* caller);

/// Calls the real function, measured while calls are reported. Inlined, since the wrapper's return
/// address identifies the caller.
template <typename Real, typename... Argument>
__attribute__((always_inline)) inline auto timed_call(OsFunction function, Real* real,
                                                      Argument... arguments) {
  const OsCalls::Report report = prof_os_calls_v1.report.load(std::memory_order_acquire);
  if (report == nullptr) [[likely]]
    return real(arguments...);
  const std::int64_t start_ns = now_ns();
  const auto result = real(arguments...);
  after_call(report, function, start_ns, __builtin_return_address(0));
  return result;
}

}  // namespace prof::collectors

/// Declares a wrapper under another name than the function's own, whose declaration libc's headers
/// may have with other attributes.
#define PROF_OS_WRAPPER(result, symbol, parameters) \
  extern "C" __attribute__((visibility("default"))) \
  result wrapped_##symbol parameters __asm__(#symbol)
