// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits a range text into a template, which repeats from step to step, and the numbers that make
// it unique: torch's emit_nvtx writes ", seq = N" (earlier ", seq=N" and ", stashed seq=N"), ",
// op_id = N" and "input_op_ids = [(N,0), ...]". join_text() restores the text byte for byte.
// Nothing else is removed from a text: shapes, step numbers and names stay in the template. Pure
// functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof {

/// Marks the place of a number in a template. A text that contains this byte is never split.
inline constexpr char kNumberPlace = '\x01';

struct SplitText {
  std::string text;     ///< The template, or the whole text if it has no such numbers.
  std::string numbers;  ///< Varints in order of appearance; empty: `text` is the whole text.
};

/// Splits `text` into `out`, whose buffers are reused.
void split_text(std::string_view text, SplitText& out);
SplitText split_text(std::string_view text);

/// The inverse of split_text(). A place without a number (damaged data) becomes '?'.
std::string join_text(std::string_view text, std::string_view numbers);

std::string encode_numbers(const std::vector<std::uint64_t>& numbers);
std::vector<std::uint64_t> decode_numbers(std::string_view numbers);

}  // namespace prof
