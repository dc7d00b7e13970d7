// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cutting in the middle, see shorten.hpp.
#include "tools/report/table/shorten.hpp"

#include "tools/common/unicode.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kSeparators = ":/";

/// The end of a path within `room` columns: from a separator on if there is one, unless that is
/// less than the third that any text keeps of its end.
std::string_view end_of_path(std::string_view text, std::size_t room) {
  const std::string_view widest = tools::suffix_of_width(text, room - room / 3);
  const std::size_t separator = widest.find_first_of(kSeparators);
  if (separator == std::string_view::npos) return widest;
  const std::string_view whole_parts = widest.substr(separator);
  return tools::display_width(whole_parts) >= room / 3 ? whole_parts : widest;
}

/// Half a number reads like another number: its digits go, unless nothing else is left.
std::string_view without_half_number(std::string_view head, std::string_view text) {
  if (head.size() == text.size() || !tools::is_ascii_digit(text[head.size()])) return head;
  const std::size_t end = head.find_last_not_of("0123456789");
  return end == std::string_view::npos ? head : head.substr(0, end + 1);
}

std::string_view without_half_number_before(std::string_view tail, std::string_view text) {
  if (tail.size() == text.size() || !tools::is_ascii_digit(text[text.size() - tail.size() - 1]))
    return tail;
  const std::size_t begin = tail.find_first_not_of("0123456789");
  return begin == std::string_view::npos ? tail : tail.substr(begin);
}

}  // namespace

Shortened shorten(std::string_view text, std::size_t width, Telling telling) {
  const std::size_t room = width - 1;  // Without the mark.
  const std::string_view end =
      telling == Telling::kEnd ? end_of_path(text, room) : tools::suffix_of_width(text, room / 3);
  const std::string_view tail = without_half_number_before(end, text);
  const std::string_view head = tools::prefix_of_width(text, room - tools::display_width(tail));
  return {without_half_number(head, text), tail};
}

}  // namespace prof::reports
