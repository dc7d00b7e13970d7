// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts programs' texts (char, wchar_t, UTF-16, UTF-32; of any length; perhaps null) to UTF-8.
// Narrow texts are kept byte for byte, even invalid ones; in wide ones an invalid code point
// becomes U+FFFD. Texts are never cut inside a UTF-8 sequence. Pure functions, any thread;
// to_buffer() does not allocate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "collectors/core/mapped_memory.hpp"
#include "collectors/core/range_stack.hpp"

namespace prof::collectors {

struct CopiedText {
  std::uint32_t bytes = 0;
  bool cut = false;
};

/// Writes at most `capacity` bytes of a zero-terminated text to `out`; null is the empty text.
CopiedText to_buffer(const char* text, char* out, std::uint32_t capacity) noexcept;
CopiedText to_buffer(const wchar_t* text, char* out, std::uint32_t capacity) noexcept;

/// Like to_buffer(), for at most `limit` code units: texts in binary payloads need no terminator.
CopiedText to_buffer(const char* text, std::size_t limit, char* out,
                     std::uint32_t capacity) noexcept;
CopiedText to_buffer(const char16_t* text, std::size_t limit, char* out,
                     std::uint32_t capacity) noexcept;
CopiedText to_buffer(const char32_t* text, std::size_t limit, char* out,
                     std::uint32_t capacity) noexcept;

/// Calls copy(to, room), which copies a text to a thread's scratch and returns whether it was cut.
/// Calls it again if the text was cut and the scratch can grow.
template <typename Copy>
CopiedText to_scratch(RangeStack& stack, Copy copy) noexcept {
  const std::uint32_t room = std::min(kMaxTextBytes, stack.scratch_bytes());
  const CopiedText copied = copy(stack.scratch(), room);
  if (!copied.cut || stack.make_room(kMaxTextBytes) <= room) return copied;
  return copy(stack.scratch(), std::min(kMaxTextBytes, stack.scratch_bytes()));
}

/// Converts a whole text, truncated at kMaxTextBytes and then counted (text_truncated).
MappedString to_string(const char* text);
MappedString to_string(const wchar_t* text);

}  // namespace prof::collectors
