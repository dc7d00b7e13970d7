// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What an NVTX handler does with a parsed call: maintain the thread's range stack and, while a
// capture is on, write events to its ring. The stack is always maintained, so that ranges opened
// before a start are on the stack of launches after it. Push and pop allocate nothing and take no
// lock. The caller holds an InsideCall that entered (reentry.hpp). Every call takes the epoch that
// its handler loaded, which must not be dead. Texts are at thread.stack.scratch(),
// annotation.text_bytes long, unless annotation names a registered string. Each function acts on
// the calling thread.
#pragma once

#include <string_view>

#include "collectors/core/global.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

/// The outcome of a push or pop. `range` is the id for attaching binary payloads, 0: none.
struct PushPopResult {
  int level = -1;
  RangeId range = 0;
};

PushPopResult push_range(ThreadState& thread, std::uint32_t epoch,
                         const Annotation& annotation) noexcept;
/// Opens an op's range, which pop_range(.., kOpsDomain) closes. Behind its text at scratch() are
/// the bytes of its source (OpEvent). Windows have to know earlier ops, so they are recorded in a
/// standby, too.
void push_op(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation,
             OpOnStack op) noexcept;
/// The innermost open range of `domain`. 0: it was not recorded, or there is none.
RangeId innermost_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept;
/// Level -1: no range of the domain is open (counted).
PushPopResult pop_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept;

/// In a standby, of which the thread is part: records those ranges of the stack that are not yet
/// recorded.
void write_stack(ThreadState& thread, std::uint32_t epoch) noexcept;

/// False: not recorded (counted).
bool mark(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation) noexcept;

/// Start/end ranges. The id is never 0.
RangeId start_process_range(ThreadState& thread, const Annotation& annotation) noexcept;
void end_process_range(ThreadState& thread, std::uint32_t epoch, RangeId id) noexcept;

/// Room for a binary payload of `bytes` in the thread's ring, to be filled in and committed
/// (thread.ring.commit()); nullptr: not recording or no room (counted).
std::byte* begin_blob(ThreadState& thread, std::uint32_t epoch, RangeId range, DomainId domain,
                      std::uint64_t schema, std::uint32_t bytes) noexcept;

}  // namespace prof::collectors
