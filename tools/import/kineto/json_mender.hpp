// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonMender: makes JSON of what is almost JSON, as programs write it: texts with bytes that are
// not UTF-8, halves of UTF-16 pairs, numbers that are NaN or infinite. Works on one chunk of the
// file after the other; every character keeps its place, so that positions stay true. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace prof::importers {

class JsonMender {
 public:
  static constexpr std::size_t kMostHeld = 11;

  /// Mends the characters in place. Returns how many of them are ready. The last ones, kMostHeld at
  /// most, may depend on what follows, and are to be passed again in front of it; none do if
  /// nothing follows (`is_last`).
  std::size_t mend(std::span<char> chunk, bool is_last);

  /// Bytes of texts that were replaced by '?': not UTF-8.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Control characters of texts, such as line breaks, likewise.
  [[nodiscard]] std::uint64_t controls() const { return controls_; }
  /// Halves of UTF-16 pairs that stand alone, such as \ud800, each replaced by U+FFFD.
  [[nodiscard]] std::uint64_t surrogates() const { return surrogates_; }
  /// NaN, Infinity and -Infinity, each replaced by an empty text.
  [[nodiscard]] std::uint64_t numbers() const { return numbers_; }

 private:
  std::size_t mend_text(std::span<char> rest, bool is_last);
  std::size_t mend_escape(std::span<char> rest, bool is_last);
  std::size_t mend_outside(std::span<char> rest, bool is_last);

  enum class At : std::uint8_t { kOutside, kWord, kText, kEscape };
  At at_ = At::kOutside;
  std::size_t word_size_ = 0;  // how many characters of the word were passed
  std::uint64_t bytes_ = 0, controls_ = 0, surrogates_ = 0, numbers_ = 0;
};

}  // namespace prof::importers
