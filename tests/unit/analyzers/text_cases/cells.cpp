// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/text_cases/cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace prof::text_cases {
namespace {

class Expression {
 public:
  explicit Expression(std::string_view text) : text_(text) {}

  std::optional<double> value() {
    const double result = sum();
    skip_spaces();
    return is_number_ && text_.empty() ? std::optional(result) : std::nullopt;
  }

 private:
  void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  /// The next character, if it is one of `wanted`, else 0.
  char take(std::string_view wanted) {
    skip_spaces();
    if (text_.empty() || wanted.find(text_.front()) == wanted.npos) return 0;
    const char taken = text_.front();
    text_.remove_prefix(1);
    return taken;
  }

  double sum() {
    double result = product();
    while (const char sign = take("+-")) result += sign == '+' ? product() : -product();
    return result;
  }

  double product() {
    double result = factor();
    while (const char sign = take("*/")) result *= sign == '*' ? factor() : 1 / factor();
    return result;
  }

  double factor() {
    if (take("(") != 0) {
      const double result = sum();
      is_number_ &= take(")") != 0;
      return result;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    is_number_ &= error == std::errc();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return number;
  }

  std::string_view text_;
  bool is_number_ = true;
};

}  // namespace

Cells split_cells(std::string_view line) {
  Cells result;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return result;
    if (line.starts_with("# ")) {
      result.comment = line;
      return result;
    }
    const std::size_t end = std::min(line.find("  "), line.size());
    result.cells.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
    while (result.cells.back().ends_with(' ')) result.cells.back().pop_back();
  }
}

std::vector<std::string> aligned(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths;
  for (const Cells& row : table) {
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  std::vector<std::string> lines;
  for (const Cells& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      line += row.cells[i];
      line.append(widths[i] - row.cells[i].size() + 2, ' ');
    }
    line += row.comment;
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<double> number_of(std::string_view text) { return Expression(text).value(); }

bool holds(std::string_view expected, std::string_view actual) {
  if (expected == actual) return true;
  const auto wanted = number_of(expected), got = number_of(actual);
  return wanted && got && std::abs(*wanted - *got) <= 1e-11 * std::abs(*got);
}

}  // namespace prof::text_cases
