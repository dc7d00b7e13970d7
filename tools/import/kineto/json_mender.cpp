// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/json_mender.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "libprof/base/ascii.hpp"
#include "tools/common/unicode.hpp"

namespace prof::importers {
namespace {

constexpr char kReplacement = '?';

/// As much of an escape \uXXXX as a text begins with.
struct EscapedUnit {
  static constexpr std::size_t kLength = 6;
  std::size_t length = 0;
  std::uint32_t unit = 0;

  explicit EscapedUnit(std::string_view text) {
    constexpr std::string_view kBegin = "\\u";
    for (const char c : text.substr(0, kLength)) {
      if (length < kBegin.size() ? c != kBegin[length] : !add_digit(c)) break;
      ++length;
    }
  }
  [[nodiscard]] bool is_whole() const { return length == kLength; }
  [[nodiscard]] bool may_go_on(std::string_view text) const {
    return length == text.size() && !is_whole();
  }
  [[nodiscard]] bool is_high() const { return is_whole() && unit >= 0xd800 && unit < 0xdc00; }
  [[nodiscard]] bool is_low() const { return is_whole() && unit >= 0xdc00 && unit < 0xe000; }

 private:
  bool add_digit(char c) {
    std::uint32_t digit = 0;
    const auto [end, error] = std::from_chars(&c, &c + 1, digit, 16);
    unit = unit * 16 + digit;
    return error == std::errc() && end == &c + 1;
  }
};

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
      return mend_escape(rest, is_last);
    }
    return 1;
  }
  const bool is_control = first < 0x20;
  const tools::Utf8Step step = tools::utf8_step({rest.data(), rest.size()});
  if (step.valid && !is_control && at_ == At::kText) return step.length;
  // The rest of the character may be in the next chunk.
  if (!step.valid && step.length == rest.size() && !is_last) return 0;
  std::ranges::fill(rest.first(step.length), kReplacement);
  // No escape ends with another character.
  if (at_ == At::kEscape) rest[0] = '/';
  at_ = At::kText;
  (is_control ? controls_ : bytes_) += step.length;
  return step.length;
}

std::size_t JsonMender::mend_escape(std::span<char> rest, bool is_last) {
  constexpr std::string_view kNoCharacter = "\\ufffd";
  const std::string_view text(rest.data(), rest.size());
  const EscapedUnit first(text);
  if (first.may_go_on(text) && !is_last) return 0;
  if (!first.is_whole()) {
    at_ = At::kEscape;
    return 1;
  }
  if (first.is_high()) {
    const std::string_view behind = text.substr(first.length);
    const EscapedUnit second(behind);
    if (second.may_go_on(behind) && !is_last) return 0;
    if (second.is_low()) return first.length + second.length;
  }
  if (first.is_high() || first.is_low()) {
    std::ranges::copy(kNoCharacter, rest.begin());
    ++surrogates_;
  }
  return first.length;
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
