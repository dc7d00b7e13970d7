// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a program's description of a range or mark: nvtxEventAttributes_t of any size and version,
// a plain text, or null. Texts go to the calling thread's scratch. Attributes that cannot be kept
// are counted. Allocates nothing. Each function acts on the calling thread.
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

/// The domain of a handle; the default domain for null. nullptr: not a handle of an existing
/// domain; counted.
[[nodiscard]] inline Domain* to_domain(nvtxDomainHandle_t handle) noexcept {
  ProgramObjects& objects = global().objects;
  if (handle == nullptr) return &objects.default_domain();
  Domain* domain = objects.find_domain(reinterpret_cast<std::uintptr_t>(handle));
  if (domain == nullptr) [[unlikely]]
    global().losses.add(Loss::kNvtxCallNotKept);
  return domain;
}
/// Like to_domain(), for pops: ranges of a destroyed domain may still be open.
[[nodiscard]] inline Domain* to_domain_of_open(nvtxDomainHandle_t handle) noexcept {
  ProgramObjects& objects = global().objects;
  if (handle == nullptr) return &objects.default_domain();
  Domain* domain = objects.find_domain_even_destroyed(reinterpret_cast<std::uintptr_t>(handle));
  if (domain == nullptr) [[unlikely]]
    global().losses.add(Loss::kNvtxCallNotKept);
  return domain;
}
/// nullptr: not a handle of a string; counted, unless it is null.
[[nodiscard]] inline const RegisteredString* to_registered(nvtxStringHandle_t handle) noexcept {
  if (handle == nullptr) return nullptr;
  const RegisteredString* string =
      global().objects.find_string(reinterpret_cast<std::uintptr_t>(handle));
  if (string == nullptr) [[unlikely]]
    global().losses.add(Loss::kNvtxCallNotKept);
  return string;
}

}  // namespace prof::collectors
