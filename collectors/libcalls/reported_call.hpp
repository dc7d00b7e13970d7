// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How a wrapped function reports its call: as an op of the calling thread, around all that the call
// launches. A call from inside another one, as cuBLAS calls cuBLASLt, is part of that. Threads:
// any; no lock, no memory.
#pragma once

#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/library_calls.hpp"

extern "C" __attribute__((visibility("default")))
prof::collectors::LibraryCalls prof_cublas_calls_v1;

namespace prof::collectors {

/// Wrapped functions that this thread is in. Of a preloaded library, so without a call.
extern thread_local std::uint32_t t_call_depth __attribute__((tls_model("initial-exec")));

/// Whether a call that begins now is to be reported: it is the outermost, and somebody records ops.
bool wants_call() noexcept;

/// Open from its construction to the call's return or an exception that passes through.
class ReportedCall {
 public:
  explicit ReportedCall(const CallFacts& call) noexcept;
  ~ReportedCall();
  ReportedCall(const ReportedCall&) = delete;
  ReportedCall& operator=(const ReportedCall&) = delete;

 private:
  bool is_open_;
};

/// Calls inside are not reported.
class InsideWrapped {
 public:
  InsideWrapped() noexcept { ++t_call_depth; }
  ~InsideWrapped() { --t_call_depth; }
  InsideWrapped(const InsideWrapped&) = delete;
  InsideWrapped& operator=(const InsideWrapped&) = delete;
};

}  // namespace prof::collectors
