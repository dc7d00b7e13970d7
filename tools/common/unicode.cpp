// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 for display, see unicode.hpp.
#include "tools/common/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace prof::tools {
namespace {

std::size_t width_of(char32_t code_point) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point)));
}

// Characters that would move the cursor, start an escape sequence or change the text direction.
bool is_unsafe(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F) ||
         (code_point >= 0x200E && code_point <= 0x200F) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

void append_escaped(char32_t code_point, std::string& out) {
  switch (code_point) {
    case U'\n':
      out += "\\n";
      return;
    case U'\r':
      out += "\\r";
      return;
    case U'\t':
      out += "\\t";
      return;
    default:
      break;
  }
  std::array<char, 16> text{};
  const char* form = code_point < 0x80 ? "\\x%02x" : "\\u%04x";
  const int length =
      std::snprintf(text.data(), text.size(), form, static_cast<unsigned>(code_point));
  out.append(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

Utf8Step utf8_step(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t length = 0;
  // The second byte's range keeps out overlong forms, surrogates and values above U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {0xFFFD, 1, false};
  }
  char32_t code_point = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {0xFFFD, i, false};
    code_point = (code_point << 6) | (byte(i) & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, length, true};
}

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    width += step.code_point < 0x300 ? 1 : width_of(step.code_point);
    text.remove_prefix(step.length);
  }
  return width;
}

std::string_view prefix_of_width(std::string_view text, std::size_t width) {
  std::size_t taken = 0;
  std::size_t used = 0;
  while (taken < text.size()) {
    const Utf8Step step = utf8_step(text.substr(taken));
    const std::size_t columns = width_of(step.code_point);
    if (used + columns > width) break;
    used += columns;
    taken += step.length;
  }
  return text.substr(0, taken);
}

std::string_view suffix_of_width(std::string_view text, std::size_t width) {
  std::size_t all = display_width(text);
  while (all > width) {
    const Utf8Step step = utf8_step(text);
    all -= width_of(step.code_point);
    text.remove_prefix(step.length);
  }
  // Marks of the last removed character would attach to whatever precedes them.
  while (!text.empty() && width_of(utf8_step(text).code_point) == 0) {
    text.remove_prefix(utf8_step(text).length);
  }
  return text;
}

void append_printable(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.valid) {
      out += "\uFFFD";
    } else if (is_unsafe(step.code_point)) {
      append_escaped(step.code_point, out);
    } else {
      out.append(text.substr(0, step.length));
    }
    text.remove_prefix(step.length);
  }
}

std::string_view take_line(std::string_view& text, std::size_t width) {
  std::size_t end = 0, used = 0;
  while (end < text.size()) {
    const std::size_t begin = end == 0 ? 0 : end + 1;
    const std::size_t word_end = std::min(text.find(' ', begin), text.size());
    const std::size_t word = display_width(text.substr(begin, word_end - begin));
    if (end > 0 && used + 1 + word > width) break;
    used += word + (end > 0 ? 1 : 0);
    end = word_end;
    if (end == 0) break;  // It begins with a blank.
  }
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

}  // namespace prof::tools
