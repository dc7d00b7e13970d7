// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Data that a library of wrapped functions (libprof_cublas.so) and the collector share besides the
// ops that it reports (collectors/ops/op_sink.hpp). The collector finds it by its symbol,
// prof_LIBRARY_calls_v1.
#pragma once

#include <atomic>
#include <cstddef>

namespace prof::collectors {

struct LibraryCalls {
  std::size_t struct_size;
  std::atomic<bool> has_calls;  ///< The program has called a wrapped function.
};

}  // namespace prof::collectors
