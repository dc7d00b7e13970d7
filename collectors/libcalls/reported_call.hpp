// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports the call of a wrapped function: as an op of the calling thread, around everything that
// the call launches. A call from inside another one, as cuDNN calls cuBLAS and that cuBLASLt, is
// part of the outer one. Threads: any; takes no lock, allocates no memory.
#pragma once

#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"

/// Number of wrapped functions that this thread is in, of any library: the loader binds the
/// references of all libraries to the first one's variable. It belongs to a preloaded library, so
/// access needs no call.
extern "C" __attribute__((visibility("default"),
                          tls_model("initial-exec"))) thread_local std::uint32_t prof_call_depth_v1;

namespace prof::collectors {

/// Whether a call that begins now is to be reported: it is the outermost, and a recorder wants ops.
bool wants_call() noexcept;

/// The op is open from construction to the call's return or an exception that passes through.
class ReportedCall {
 public:
  explicit ReportedCall(const CallFacts& call) noexcept;
  ~ReportedCall();
  ReportedCall(const ReportedCall&) = delete;
  ReportedCall& operator=(const ReportedCall&) = delete;

 private:
  bool is_open_;
};

/// Suppresses reports of calls inside.
class InsideWrapped {
 public:
  InsideWrapped() noexcept { ++prof_call_depth_v1; }
  ~InsideWrapped() { --prof_call_depth_v1; }
  InsideWrapped(const InsideWrapped&) = delete;
  InsideWrapped& operator=(const InsideWrapped&) = delete;
};

}  // namespace prof::collectors
