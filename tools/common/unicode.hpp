// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 text for people: validity, width on a terminal, cutting, and making foreign names harmless.
// Names in a trace hold any byte. Independent of the process's locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof::tools {

/// One step through a text: a code point and the bytes it takes (at least 1). For bytes that are
/// not UTF-8 `valid` is false, the code point U+FFFD and the length that of the longest broken
/// prefix.
struct Utf8Step {
  char32_t code_point;
  std::size_t length;
  bool valid;
};

/// The step at `text`'s start; text must not be empty.
Utf8Step utf8_step(std::string_view text);

/// Every byte is printable ASCII: the text is its own printable form and as wide as it is long.
bool is_plain_ascii(std::string_view text);

/// Columns that a text takes on a terminal; text must be in its printable form.
std::size_t display_width(std::string_view text);

/// The longest prefix that is at most `width` columns wide, never splitting a character.
std::string_view prefix_of_width(std::string_view text, std::size_t width);

/// The longest suffix that is at most `width` columns wide, never splitting a character.
std::string_view suffix_of_width(std::string_view text, std::size_t width);

/// Appends a form of `text` that does nothing to a terminal but print: control and
/// direction-changing characters are escaped (\n, \x1b, \u202e), bytes that are not UTF-8 become
/// U+FFFD.
void append_printable(std::string_view text, std::string& out);

}  // namespace prof::tools
