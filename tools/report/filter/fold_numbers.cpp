// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/fold_numbers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "libprof/base/ascii.hpp"
#include "tools/common/unicode.hpp"
#include "tools/common/words.hpp"
#include "tools/report/filter/layer_view.hpp"

namespace prof::reports {
namespace {

/// Loops count from 0. Fewer layers that do not, such as conv1 to conv3, have numbers for names.
constexpr std::size_t kLeastOfName = 4;

bool is_of_name(char c) { return is_letter(c) || c == '_' || c == '-' || is_of_other_script(c); }

/// The bracket that closes the opening one before a number.
char closing_of(char before) {
  return before == '[' ? ']' : before == '(' ? ')' : before == '<' ? '>' : '\0';
}

/// Digits of a path, [begin, end).
struct Number {
  std::size_t begin = 0, end = 0;
  bool ends_name = false;  ///< As in layer0; otherwise it stands by itself, as in "Layer 0".
};

/// Digits within a name, such as those of conv2d and 3x3, number nothing, nor do those of a list,
/// as in "gemm(64, 128)".
bool is_number(std::string_view path, const Number& digits) {
  const char before = digits.begin > 0 ? path[digits.begin - 1] : '.';
  const char after = digits.end < path.size() ? path[digits.end] : '.';
  if (const char closing = closing_of(before); closing != '\0') return after == closing;
  const bool ends_there =
      is_path_separator(after) || after == '_' || after == '-' || after == '/' || after == ' ';
  return before != ',' && ends_there;
}

std::vector<Number> numbers_of(std::string_view path) {
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (!tools::is_ascii_digit(path[at])) continue;
    Number digits{.begin = at, .end = at};
    while (digits.end < path.size() && tools::is_ascii_digit(path[digits.end])) ++digits.end;
    digits.ends_name = at > 0 && is_of_name(path[at - 1]);
    if (is_number(path, digits)) numbers.push_back(digits);
    at = digits.end;
  }
  return numbers;
}

/// Calls `visit(before, number)` for each number by itself; `before` is the path up to there, with
/// '*' for each such number.
template <typename Visit>
void for_each_alone(std::string_view path, const Visit& visit) {
  std::string before;
  std::size_t done = 0;
  for (const Number& number : numbers_of(path)) {
    if (number.ends_name) continue;
    before += path.substr(done, number.begin - done);
    visit(before, number);
    before += '*';
    done = number.end;
  }
}

/// By what is before the number, not by the whole path: then a layer is folded with all that is
/// inside, whichever of its siblings have the same.
void fold_alone(std::vector<std::string>& paths) {
  std::unordered_map<std::string, std::set<std::string>> places;
  for (const std::string& path : paths) {
    for_each_alone(path, [&](const std::string& before, const Number& number) {
      places[before].insert(path.substr(number.begin, number.end - number.begin));
    });
  }
  for (std::string& path : paths) {
    std::string folded;
    std::size_t done = 0;
    for_each_alone(path, [&](const std::string& before, const Number& number) {
      if (places.at(before).size() < 2) return;
      folded.append(path, done, number.begin - done).append("*");
      done = number.end;
    });
    path = folded.append(path, done);
  }
}

/// Whether these siblings, which are alike inside, are a layer that is repeated.
bool are_repeated(const std::set<std::string>& numbers, const std::set<std::string>& inside) {
  if (numbers.size() < 2) return false;
  const bool has_layers = std::ranges::any_of(
      inside, [](const std::string& rest) { return std::ranges::any_of(rest, is_path_separator); });
  if (has_layers) return true;
  std::set<std::size_t> values;
  for (const std::string& digits : numbers) {
    values.insert(tools::parse_number<std::size_t>(digits).value_or(0));
  }
  const bool in_a_row = *values.rbegin() - *values.begin() + 1 == values.size();
  return in_a_row && (*values.begin() == 0 || values.size() >= kLeastOfName);
}

/// Folds the numbers that end names and have just `inner` such numbers to the left of them.
void fold_name_ends(std::size_t inner, std::vector<std::string>& paths) {
  const auto number_in = [inner](const std::string& path) {
    std::vector<Number> ends = numbers_of(path);
    std::erase_if(ends, [](const Number& number) { return !number.ends_name; });
    return inner < ends.size() ? ends[inner] : Number{};
  };
  using Inside = std::set<std::string>;  // Texts that follow a number.
  std::map<std::string, std::map<std::string, Inside>> places;
  for (const std::string& path : paths) {
    const Number number = number_in(path);
    if (number.end == 0) continue;
    places[path.substr(0, number.begin)][path.substr(number.begin, number.end - number.begin)]
        .insert(path.substr(number.end));
  }
  std::set<std::string> repeated;  // Paths up to the number's end.
  for (const auto& [before, siblings] : places) {
    std::map<Inside, std::set<std::string>> alike;
    for (const auto& [digits, inside] : siblings) alike[inside].insert(digits);
    for (const auto& [inside, digits] : alike) {
      if (!are_repeated(digits, inside)) continue;
      for (const std::string& one : digits) repeated.insert(before + one);
    }
  }
  for (std::string& path : paths) {
    const Number number = number_in(path);
    if (!repeated.contains(path.substr(0, number.end))) continue;
    path.replace(number.begin, number.end - number.begin, "*");
  }
}

}  // namespace

std::vector<std::string> fold_numbers(std::span<const std::string_view> paths) {
  std::vector<std::string> folded(paths.begin(), paths.end());
  fold_alone(folded);
  std::size_t most = 0;
  for (const std::string& path : folded) most = std::max(most, numbers_of(path).size());
  // Folding starts inside: layers are alike if their folded contents are.
  while (most > 0) fold_name_ends(--most, folded);
  return folded;
}

}  // namespace prof::reports
