// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Binary payloads of events: copies them into the ring, followed by the texts to which they point
// according to their schema; finds the message in them. Payloads that cannot be kept (too long, of
// unknown size, pointing to data of unknown form) are counted as payload_not_kept. Allocates
// nothing. Each function acts on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/core/events.hpp"
#include "collectors/core/program_objects.hpp"
#include "collectors/core/thread_state.hpp"
#include "collectors/nvtx/nvtx_headers.hpp"

namespace prof::collectors {

/// The kind of event that a payload is attached to.
enum class Attachment : std::uint8_t { kRange, kProcessRange, kMark };

/// Keeps the payloads of an event just recorded; for a range, `range` 0 means not recorded.
void keep_payloads(ThreadState& thread, std::uint32_t epoch, Attachment attachment, RangeId range,
                   const Domain& domain, const nvtxPayloadData_t* payloads,
                   std::size_t count) noexcept;

/// Reads the attributes of an event described entirely by payloads: its text goes to the scratch.
Annotation read_message(ThreadState& thread, const Domain& domain,
                        const nvtxPayloadData_t* payloads, std::size_t count) noexcept;

}  // namespace prof::collectors
