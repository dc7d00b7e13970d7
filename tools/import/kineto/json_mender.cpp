// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/json_mender.hpp"

#include <algorithm>

namespace prof::importers {
namespace {

constexpr char kReplacement = '?';

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

/// How many bytes a character has that begins like this; 0: none does.
std::size_t size_from(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/// Whether the second byte may follow the first: no overlong forms, no surrogates, nothing beyond
/// U+10FFFF (Unicode, table 3-7).
bool may_follow(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

/// How many of the bytes belong to the character that begins here, as far as they are there.
std::size_t valid_bytes(std::span<const char> rest, std::size_t size) {
  const auto first = static_cast<unsigned char>(rest[0]);
  std::size_t valid = 1;
  while (valid < std::min(size, rest.size()) && continues(rest[valid])) {
    if (valid == 1 && !may_follow(first, static_cast<unsigned char>(rest[1]))) break;
    ++valid;
  }
  return valid;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::size_t JsonMender::mend(std::span<char> chunk, bool is_last) {
  std::size_t done = 0;
  while (done < chunk.size()) {
    const std::span<char> rest = chunk.subspan(done);
    const bool in_text = at_ == At::kText || at_ == At::kEscape;
    const std::size_t taken = in_text ? mend_text(rest, is_last) : mend_outside(rest, is_last);
    if (taken == 0) break;
    done += taken;
  }
  return done;
}

std::size_t JsonMender::mend_text(std::span<char> rest, bool is_last) {
  const auto first = static_cast<unsigned char>(rest[0]);
  if (first < 0x80 && first >= 0x20) {
    if (at_ == At::kEscape) {
      at_ = At::kText;
    } else if (first == '"') {
      at_ = At::kOutside;
    } else if (first == '\\') {
      at_ = At::kEscape;
    }
    return 1;
  }
  const std::size_t size = first < 0x20 ? 0 : size_from(first);
  const std::size_t valid = size == 0 ? 0 : valid_bytes(rest, size);
  if (size != 0 && valid == size && at_ == At::kText) return size;
  // The rest of the character may be in the next chunk.
  if (size != 0 && valid == rest.size() && !is_last) return 0;
  const std::size_t bad = std::max<std::size_t>(valid, 1);
  std::ranges::fill(rest.first(bad), kReplacement);
  // No escape ends with another character.
  if (at_ == At::kEscape) rest[0] = '/';
  at_ = At::kText;
  bytes_ += bad;
  return bad;
}

/// No word of JSON begins with N or I: the word becomes "" and blanks.
std::size_t JsonMender::mend_outside(std::span<char> rest, bool is_last) {
  char& c = rest[0];
  if (at_ == At::kWord && is_letter(c)) {
    c = word_size_++ == 1 ? '"' : ' ';
    return 1;
  }
  at_ = At::kOutside;
  if (c == '-' && rest.size() == 1 && !is_last) return 0;
  const bool is_negative = c == '-' && rest.size() > 1 && rest[1] == 'I';
  if (c == 'N' || c == 'I' || is_negative) {
    at_ = At::kWord;
    word_size_ = 1;
    c = '"';
    ++numbers_;
  } else if (c == '"') {
    at_ = At::kText;
  }
  return 1;
}

}  // namespace prof::importers
