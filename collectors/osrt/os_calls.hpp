// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Interface between the collector and libprof_osrt.so. libprof_osrt.so interposes functions that
// may block (os_functions.inc) and knows nothing else; it has one OsCalls, the exported
// prof_os_calls_v1. The collector finds it by name, and has calls reported while a capture runs. A
// later version may append members; existing ones never change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::collectors {

inline constexpr char kOsCallsSymbol[] = "prof_os_calls_v1";

struct OsCalls {
  /// A call that has returned. Called on the calling thread, with deferred cancellation. `caller`:
  /// the return address. Keeps errno.
  using Report = void (*)(std::uint32_t function, std::int64_t start_ns, std::int64_t end_ns,
                          const void* caller) noexcept;

  std::size_t struct_size;
  std::uint32_t function_count;
  const char* const* names;    ///< By function.
  std::atomic<Report> report;  ///< Null: calls pass through, and nothing is measured.
};

}  // namespace prof::collectors
