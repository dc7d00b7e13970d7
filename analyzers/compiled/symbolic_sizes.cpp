// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/symbolic_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

#include "analyzers/compiled/argument_list.hpp"
#include "libprof/base/ascii.hpp"

namespace prof::compiled {
namespace {

using Value = std::optional<std::int64_t>;

constexpr std::size_t kMaxRank = 64;
/// Brackets in each other.
constexpr int kMaxBrackets = 16;

/// Python's, rounded down.
Value floor_divided(std::int64_t value, std::int64_t by) {
  if (by <= 0) return std::nullopt;
  return value / by - (value % by < 0 ? 1 : 0);
}

class Expression {
 public:
  Expression(std::string_view text, const Symbols& symbols) : rest_(text), symbols_(symbols) {}

  Value read() {
    const Value value = read_sum(0);
    skip_blanks();
    return rest_.empty() ? value : std::nullopt;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  Value read_sum(int depth) {
    Value sum = read_product(depth);
    while (sum) {
      const bool adds = take("+");
      if (!adds && !take("-")) break;
      const Value next = read_product(depth);
      std::int64_t result = 0;
      const bool overflows = !next || (adds ? __builtin_add_overflow(*sum, *next, &result)
                                            : __builtin_sub_overflow(*sum, *next, &result));
      sum = overflows ? Value() : Value(result);
    }
    return sum;
  }

  Value read_product(int depth) {
    Value product = read_factor(depth);
    while (product) {
      const bool divides = take("//");
      if (!divides && !take("*")) break;
      const Value next = read_factor(depth);  // of "**" none
      if (!next) return std::nullopt;
      std::int64_t result = 0;
      if (divides) {
        product = floor_divided(*product, *next);
      } else {
        product = __builtin_mul_overflow(*product, *next, &result) ? Value() : Value(result);
      }
    }
    return product;
  }

  Value read_factor(int depth) {
    if (take("(")) {
      if (depth == kMaxBrackets) return std::nullopt;
      const Value inner = read_sum(depth + 1);
      return take(")") ? inner : std::nullopt;
    }
    skip_blanks();
    const auto end = std::ranges::find_if_not(rest_, is_word);
    const std::string_view word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    if (word.empty()) return std::nullopt;
    if (!is_digit(word.front())) {
      const auto known = symbols_.find(word);
      return known == symbols_.end() ? Value() : Value(known->second);
    }
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_whole = error == std::errc() && stop == word.data() + word.size();
    return is_whole ? Value(number) : std::nullopt;
  }

  std::string_view rest_;
  const Symbols& symbols_;
};

/// "4*s50" is 512: finds the one factor that is not known. False: there is none that fits.
bool solve_product(std::string_view size, std::int64_t value, Symbols& to) {
  std::string_view unknown;
  std::int64_t known = 1;
  while (!size.empty()) {
    const std::size_t end = std::min(size.find('*'), size.size());
    const std::string_view factor = size.substr(0, end);
    size.remove_prefix(std::min(end + 1, size.size()));
    if (const Value number = value_of_size(factor, to)) {
      if (*number == 0 || __builtin_mul_overflow(known, *number, &known)) return true;
      continue;
    }
    const bool is_symbol =
        !factor.empty() && std::ranges::all_of(factor, is_word) && !is_digit(factor.front());
    if (!unknown.empty() || !is_symbol) return true;
    unknown = factor;
  }
  if (unknown.empty()) return true;
  if (value % known != 0) return false;
  to.emplace(unknown, value / known);
  return true;
}

}  // namespace

std::optional<std::int64_t> value_of_size(std::string_view size, const Symbols& symbols) {
  const Value value = Expression(size, symbols).read();
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<Shape> read_sizes(std::string_view text, const Symbols& symbols) {
  Shape shape;
  for (const std::string_view size : split_arguments(text)) {
    const auto value = value_of_size(size, symbols);
    if (!value || shape.size() == kMaxRank) return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

bool solve_sizes(std::string_view text, const Shape& shape, Symbols& to) {
  const std::vector<std::string_view> sizes = split_arguments(text);
  if (sizes.size() != shape.size()) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!solve_product(sizes[i], shape[i], to)) return false;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto value = value_of_size(sizes[i], to);
    if (value && *value != shape[i]) return false;
  }
  return true;
}

}  // namespace prof::compiled
