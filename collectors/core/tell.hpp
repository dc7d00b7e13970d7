// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What an NVTX handler does with a parsed call: keep the thread's stack, and while a capture is on
// tell its ring. The stack is kept always, so that ranges opened before a start are on the stack of
// launches after it. Push and pop allocate nothing and take no lock. The caller holds an InsideCall
// that entered (reentry.hpp).
// Every call takes the epoch that its handler loaded, which must not be dead. Texts lie at
// thread.stack.scratch(), as far as annotation.text_bytes, unless annotation names a registered
// string. Threads: each for the calling thread.
#pragma once

#include <string_view>

#include "collectors/core/global.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// What a push or pop did. `range` is the id to which binary payloads can be attached, 0: none.
struct Told {
  int level = -1;
  RangeId range = 0;
};

Told push_range(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation) noexcept;
/// The innermost range of `domain`, still open. 0: it was not told, or there is none.
RangeId innermost_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept;
/// Level -1: no range of the domain is open (counted).
Told pop_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept;

/// False: not told (counted).
bool mark(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation) noexcept;

/// Start/end ranges. The id is never 0.
RangeId start_process_range(ThreadState& thread, const Annotation& annotation) noexcept;
void end_process_range(ThreadState& thread, std::uint32_t epoch, RangeId id) noexcept;

/// Room for a binary payload of `bytes` in the thread's ring, to be filled in and committed
/// (thread.ring.commit()); nullptr: not recording or no room (counted).
std::byte* begin_blob(ThreadState& thread, std::uint32_t epoch, RangeId range, DomainId domain,
                      std::uint64_t schema, std::uint32_t bytes) noexcept;

}  // namespace prof::collectors
