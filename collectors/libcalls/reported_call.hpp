// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How a wrapped function reports its call: as an op of the calling thread, around all that the call
// launches. A call from inside another one, as cuDNN calls cuBLAS and that cuBLASLt, is part of
// that. Threads: any; no lock, no memory.
#pragma once

#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"

/// Wrapped functions that this thread is in, of whichever library: the loader binds the references
/// of all of them to the first one's. Of a preloaded library, so without a call.
extern "C" __attribute__((visibility("default"),
                          tls_model("initial-exec"))) thread_local std::uint32_t prof_call_depth_v1;

namespace prof::collectors {

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
  InsideWrapped() noexcept { ++prof_call_depth_v1; }
  ~InsideWrapped() { --prof_call_depth_v1; }
  InsideWrapped(const InsideWrapped&) = delete;
  InsideWrapped& operator=(const InsideWrapped&) = delete;
};

}  // namespace prof::collectors
