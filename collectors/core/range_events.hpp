// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The actions of an NVTX handler on a parsed call: it maintains the thread's range stack and, while
// a capture is on, writes events to its ring. The stack is always maintained, so that ranges opened
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
/// Opens an op's range, which pop_range(.., kOpsDomain) closes. The bytes of its source (OpEvent)
/// follow its text at scratch(). Windows need earlier ops, so they are recorded in a standby, too.
void push_op(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation,
             OpOnStack op) noexcept;
/// The innermost open range of `domain`. 0: it was not recorded, or there is none.
RangeId innermost_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept;
/// Closes the innermost range of the domain. Level -1: none is open (counted).
PushPopResult pop_range(ThreadState& thread, std::uint32_t epoch, DomainId domain) noexcept;

/// For a standby that the thread is part of: records the ranges of the stack that are not yet
/// recorded.
void write_stack(ThreadState& thread, std::uint32_t epoch) noexcept;

/// Records a mark. False: not recorded (counted).
bool mark(ThreadState& thread, std::uint32_t epoch, const Annotation& annotation) noexcept;

/// Opens a start/end range. The id is never 0.
RangeId start_process_range(ThreadState& thread, const Annotation& annotation) noexcept;
void end_process_range(ThreadState& thread, std::uint32_t epoch, RangeId id) noexcept;

/// Room for a binary payload of `bytes` in the thread's ring, to be filled in and committed
/// (thread.ring.commit()); nullptr: not recording or no room (counted).
std::byte* begin_blob(ThreadState& thread, std::uint32_t epoch, RangeId range, DomainId domain,
                      std::uint64_t schema, std::uint32_t bytes) noexcept;

}  // namespace prof::collectors
