// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cutting in the middle, see shorten.hpp.
#include "tools/report/table/shorten.hpp"

#include <algorithm>
#include <optional>

#include "libprof/base/ascii.hpp"
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

Shortened shorten(std::string_view text, std::size_t width, KeptPart kept) {
  const std::size_t room = width - 1;  // The mark takes one column.
  const std::string_view end =
      kept == KeptPart::kEnd ? end_of_path(text, room) : tools::suffix_of_width(text, room / 3);
  const std::string_view tail = without_half_number_before(end, text);
  const std::string_view head = tools::prefix_of_width(text, room - tools::display_width(tail));
  return {without_half_number(head, text), tail};
}

namespace {

constexpr std::string_view kReturnType = "void ";
constexpr std::string_view kAnonymous = "(anonymous namespace)::";

bool is_name_char(char c) { return is_word(c) || c == '$'; }

/// Where the parameters begin that end the text.
std::optional<std::size_t> find_parameters(std::string_view text) {
  if (!text.ends_with(')')) return std::nullopt;
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i > 0 ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

/// Names of functions have no blank but inside of brackets and before "const".
bool is_function(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ' ' && depth == 0 && !name.substr(i).starts_with(" const::")) return false;
  }
  return !name.empty() && !name.starts_with(':');
}

void append_without_namespaces(std::string_view name, std::string& out) {
  while (!name.empty()) {
    if (name.starts_with(kAnonymous)) {
      name.remove_prefix(kAnonymous.size());
      continue;
    }
    const auto word_end = std::find_if_not(name.begin(), name.end(), is_name_char);
    const auto length = static_cast<std::size_t>(word_end - name.begin());
    if (length > 0 && name.substr(length).starts_with("::")) {
      name.remove_prefix(length + 2);
      continue;
    }
    const std::size_t taken = std::max<std::size_t>(length, 1);
    const bool closes_twice = name.starts_with(" >") && out.ends_with('>');
    if (!closes_twice) out += name.substr(0, taken);
    name.remove_prefix(taken);
  }
}

}  // namespace

std::string bare_name(std::string_view text) {
  const auto parameters = find_parameters(text);
  const bool is_void = text.starts_with(kReturnType);
  if (!parameters) return std::string(text);
  std::string_view name = text.substr(0, *parameters);
  if (is_void) name.remove_prefix(std::min(kReturnType.size(), name.size()));
  const bool is_cpp = is_void || name.find("::") < name.size() || name.find('<') < name.size();
  if (!is_cpp || !is_function(name)) return std::string(text);
  std::string bare;
  append_without_namespaces(name, bare);
  return bare;
}

}  // namespace prof::reports
