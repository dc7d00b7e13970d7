// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/text_template.hpp"

#include <charconv>
#include <optional>

#include "libprof/base/ascii.hpp"
#include "libprof/base/varint.hpp"

namespace prof {
namespace {

constexpr std::string_view kSeq = ", seq = ";
constexpr std::string_view kOldSeq = ", seq=";  // up to torch 1.4
constexpr std::string_view kOldNodeSeq = ", stashed seq=";
constexpr std::string_view kOpId = ", op_id = ";
constexpr std::string_view kInputs = "input_op_ids = [";

class Splitter {
 public:
  Splitter(std::string_view text, SplitText& out) : text_(text), out_(out) {}

  void run() {
    while (at_ < text_.size()) {
      if (text_[at_] == ',' && (take(kSeq) || take(kOpId) || take(kOldSeq) || take(kOldNodeSeq))) {
        take_number();
      } else if (text_[at_] == 'i' && take(kInputs)) {
        take_inputs();
      } else {
        out_.text.push_back(text_[at_++]);
      }
    }
  }

 private:
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    out_.text.append(word);
    at_ += word.size();
    return true;
  }

  // A number is taken out only if printing it again gives the same digits.
  void take_number() {
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    const bool canonical = error == std::errc{} && (*begin != '0' || rest == begin + 1);
    if (!canonical) return;
    append_varint(out_.numbers, value);
    out_.text.push_back(kNumberPlace);
    at_ += static_cast<std::size_t>(rest - begin);
  }

  // Takes the number after each "(", up to the bracket that closes the list. "(0,-1)" means "no
  // op", is frequent and stays.
  void take_inputs() {
    constexpr std::string_view kNoOp = "(0,-1)";
    int depth = 1;
    while (at_ < text_.size() && depth > 0) {
      if (take(kNoOp)) continue;
      const char c = text_[at_++];
      out_.text.push_back(c);
      if (c == '[') ++depth;
      if (c == ']') --depth;
      if (c == '(' && at_ < text_.size() && is_digit(text_[at_])) take_number();
    }
  }

  std::string_view text_;
  SplitText& out_;
  std::size_t at_ = 0;
};

}  // namespace

void split_text(std::string_view text, SplitText& out) {
  out.text.clear();
  out.numbers.clear();
  if (text.find(kNumberPlace) != std::string_view::npos) {
    out.text.assign(text);
    return;
  }
  Splitter(text, out).run();
}

SplitText split_text(std::string_view text) {
  SplitText out;
  split_text(text, out);
  return out;
}

std::string join_text(std::string_view text, std::string_view numbers) {
  if (numbers.empty()) return std::string(text);
  std::string joined;
  joined.reserve(text.size() + 4 * numbers.size());
  for (;;) {
    const std::size_t place = text.find(kNumberPlace);
    joined.append(text.substr(0, place));
    if (place == std::string_view::npos) return joined;
    text.remove_prefix(place + 1);
    if (const std::optional<std::uint64_t> number = take_varint(numbers)) {
      char digits[20];
      const auto [end, error] = std::to_chars(digits, digits + sizeof digits, *number);
      joined.append(digits, end);
    } else {
      joined += '?';
    }
  }
}

std::string encode_numbers(const std::vector<std::uint64_t>& numbers) {
  std::string out;
  for (const std::uint64_t number : numbers) append_varint(out, number);
  return out;
}

std::vector<std::uint64_t> decode_numbers(std::string_view numbers) {
  std::vector<std::uint64_t> out;
  while (const std::optional<std::uint64_t> number = take_varint(numbers)) out.push_back(*number);
  return out;
}

}  // namespace prof
