// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what a program says about a range or mark: nvtxEventAttributes_t of any size and version,
// or a plain text, or null. Texts go to the calling thread's scratch. What cannot be kept is
// counted. Allocates nothing. Threads: each for the calling thread.
#pragma once

#include <cstddef>

#include "collectors/core/events.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/thread_state.hpp"
#include "collectors/nvtx/nvtx_headers.hpp"

namespace prof::collectors {

struct ParsedEvent {
  Annotation annotation;
  const nvtxPayloadData_t* payloads = nullptr;
  std::size_t payload_count = 0;
};

ParsedEvent parse_attributes(ThreadState& thread, const Domain& domain,
                             const nvtxEventAttributes_t* attributes) noexcept;
Annotation parse_text(ThreadState& thread, const char* text) noexcept;
Annotation parse_text(ThreadState& thread, const wchar_t* text) noexcept;

[[nodiscard]] inline Domain& to_domain(nvtxDomainHandle_t handle) noexcept {
  return handle == nullptr ? global().objects.default_domain() : *reinterpret_cast<Domain*>(handle);
}

}  // namespace prof::collectors
