// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/nvtx_text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "collectors/core/global.hpp"

namespace prof::collectors {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr char32_t kReplacement = 0xfffd;

bool is_valid(char32_t code) { return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff); }

/// Appends `code`; false: no room.
bool append(char32_t code, char* out, std::uint32_t capacity, std::uint32_t& bytes) noexcept {
  if (!is_valid(code)) code = kReplacement;
  const std::uint32_t needed = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  if (capacity - bytes < needed) return false;
  if (needed == 1) {
    out[bytes++] = static_cast<char>(code);
    return true;
  }
  constexpr std::uint8_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (std::uint32_t i = needed - 1; i != 0; --i) {
    out[bytes + i] = static_cast<char>(0x80U | (code & 0x3fU));
    code >>= 6;
  }
  out[bytes] = static_cast<char>(kLead[needed] | code);
  bytes += needed;
  return true;
}

template <typename Unit>
CopiedText utf32_to_buffer(const Unit* text, std::size_t limit, char* out,
                           std::uint32_t capacity) noexcept {
  CopiedText copied;
  if (text == nullptr) return copied;
  for (std::size_t i = 0; i < limit && text[i] != 0; ++i) {
    if (!append(static_cast<char32_t>(text[i]), out, capacity, copied.bytes)) {
      copied.cut = true;
      break;
    }
  }
  return copied;
}

template <typename Char>
MappedString any_to_string(const Char* text) {
  // On the heap: the calling thread's stack may be small.
  MappedString out(text == nullptr ? 0 : kMaxTextBytes, '\0');
  const CopiedText copied = to_buffer(text, out.data(), static_cast<std::uint32_t>(out.size()));
  if (copied.cut) global().losses.add(Loss::kTextTruncated);
  out.resize(copied.bytes);
  out.shrink_to_fit();
  return out;
}

}  // namespace

CopiedText to_buffer(const char* text, std::size_t limit, char* out,
                     std::uint32_t capacity) noexcept {
  if (text == nullptr) return {};
  // Looks at one unit more than fits, to distinguish a truncated text from a whole one; never at
  // more than may be read.
  const std::size_t looked_at = std::min(limit, std::size_t{capacity} + 1);
  std::size_t bytes = strnlen(text, looked_at);
  CopiedText copied;
  if (bytes > capacity) {
    copied.cut = true;
    bytes = capacity;
    // Goes back to the start of the sequence that does not fit, at most 3 bytes before.
    std::size_t start = bytes;
    while (start != 0 && bytes - start < 4 &&
           (static_cast<unsigned char>(text[start]) & 0xc0U) == 0x80U)
      --start;
    if ((static_cast<unsigned char>(text[start]) & 0xc0U) == 0xc0U) bytes = start;
  }
  std::memcpy(out, text, bytes);
  copied.bytes = static_cast<std::uint32_t>(bytes);
  return copied;
}

CopiedText to_buffer(const char16_t* text, std::size_t limit, char* out,
                     std::uint32_t capacity) noexcept {
  CopiedText copied;
  if (text == nullptr) return copied;
  for (std::size_t i = 0; i < limit && text[i] != 0; ++i) {
    char32_t code = text[i];
    const bool is_pair = code >= 0xd800 && code < 0xdc00 && i + 1 < limit &&
                         text[i + 1] >= 0xdc00 && text[i + 1] < 0xe000;
    if (is_pair) code = 0x10000 + ((code - 0xd800) << 10) + (text[++i] - 0xdc00U);
    if (!append(code, out, capacity, copied.bytes)) {
      copied.cut = true;
      break;
    }
  }
  return copied;
}

CopiedText to_buffer(const char32_t* text, std::size_t limit, char* out,
                     std::uint32_t capacity) noexcept {
  return utf32_to_buffer(text, limit, out, capacity);
}

CopiedText to_buffer(const char* text, char* out, std::uint32_t capacity) noexcept {
  return to_buffer(text, kNoLimit, out, capacity);
}

CopiedText to_buffer(const wchar_t* text, char* out, std::uint32_t capacity) noexcept {
  static_assert(sizeof(wchar_t) == sizeof(char32_t));
  return utf32_to_buffer(text, kNoLimit, out, capacity);
}

MappedString to_string(const char* text) { return any_to_string(text); }
MappedString to_string(const wchar_t* text) { return any_to_string(text); }

}  // namespace prof::collectors
