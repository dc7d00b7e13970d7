// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 text for display: validity, width on a terminal, truncation, and escaping of untrusted
// names. Names in a trace may hold any byte. Independent of the process's locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof::tools {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

/// One step through a text: a code point and the bytes it takes (at least 1). For bytes that are
/// not UTF-8, `valid` is false, the code point is U+FFFD and the length is that of the longest
/// malformed prefix.
struct Utf8Step {
  char32_t code_point;
  std::size_t length;
  bool valid;
};

/// The step at the start of `text`, which must not be empty.
Utf8Step utf8_step(std::string_view text);

/// Whether every byte is printable ASCII: the text is then its own printable form and as wide as
/// long.
bool is_plain_ascii(std::string_view text);

/// Columns of a text on a terminal; it must be in its printable form.
std::size_t display_width(std::string_view text);

/// The longest prefix that is at most `width` columns wide, never splitting a character.
std::string_view prefix_of_width(std::string_view text, std::size_t width);

/// The longest suffix that is at most `width` columns wide, never splitting a character.
std::string_view suffix_of_width(std::string_view text, std::size_t width);

/// Appends a form of `text` that is safe to print on a terminal: control and direction-changing
/// characters are escaped (\n, \x1b, \u202e), bytes that are not UTF-8 become U+FFFD.
void append_printable(std::string_view text, std::string& out);

/// The first words of a printable text that `width` columns hold, or the first one alone, however
/// wide it is. `text` is the rest from then on, without the blank between.
std::string_view take_line(std::string_view& text, std::size_t width);

}  // namespace prof::tools
