// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/python_literal.hpp"

#include <charconv>

namespace prof::dialects {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxValues = 100'000;

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<PythonValue> read() {
    PythonValue value;
    if (!value_of(value, 0)) return std::nullopt;
    skip_blanks();
    if (!rest_.empty()) return std::nullopt;
    return value;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' ||
                              rest_.front() == '\t' || rest_.front() == '\r')) {
      rest_.remove_prefix(1);
    }
  }

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool value_of(PythonValue& value, int depth) {
    skip_blanks();
    if (rest_.empty() || depth > kMaxDepth || ++values_ > kMaxValues) return false;
    switch (rest_.front()) {
      case '{':
        return dict(value, depth);
      case '[':
        return list(value, ']', depth);
      case '(':
        return list(value, ')', depth);
      case '\'':
      case '"':
        value.kind = PythonValue::Kind::kText;
        return string(value.text);
      default:
        return word(value) || number(value);
    }
  }

  bool list(PythonValue& value, char end, int depth) {
    value.kind = PythonValue::Kind::kList;
    rest_.remove_prefix(1);
    while (!take(end)) {  // a one-element tuple ends in a comma
      if (!value_of(value.items.emplace_back(), depth + 1)) return false;
      if (!take(',')) return take(end);
    }
    return true;
  }

  bool dict(PythonValue& value, int depth) {
    value.kind = PythonValue::Kind::kDict;
    rest_.remove_prefix(1);
    while (!take('}')) {
      skip_blanks();
      if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return false;
      if (!string(value.keys.emplace_back()) || !take(':')) return false;
      if (!value_of(value.items.emplace_back(), depth + 1)) return false;
      if (!take(',')) return take('}');
    }
    return true;
  }

  /// Escapes other than those for quotes, backslash and whitespace stay as they are.
  bool string(std::string& out) {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) return true;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (rest_.empty()) return false;
      const char escaped = rest_.front();
      rest_.remove_prefix(1);
      switch (escaped) {
        case 'n':
          out += '\n';
          break;
        case 't':
          out += '\t';
          break;
        case '\\':
        case '\'':
        case '"':
        case '/':
          out += escaped;
          break;
        default:
          out += c;
          out += escaped;
      }
    }
    return false;
  }

  bool word(PythonValue& value) {
    if (take_word("None") || take_word("null")) return true;
    if (take_word("True") || take_word("true")) {
      value.kind = PythonValue::Kind::kBool;
      value.boolean = true;
      return true;
    }
    if (take_word("False") || take_word("false")) {
      value.kind = PythonValue::Kind::kBool;
      return true;
    }
    return false;
  }

  bool number(PythonValue& value) {
    const char* const begin = rest_.data();
    const char* const end = begin + rest_.size();
    const auto [stop, error] = std::from_chars(begin, end, value.integer);
    if (error == std::errc{} && (stop == end || (*stop != '.' && *stop != 'e' && *stop != 'E'))) {
      value.kind = PythonValue::Kind::kInteger;
      rest_.remove_prefix(static_cast<std::size_t>(stop - begin));
      return true;
    }
    const auto [real_stop, real_error] = std::from_chars(begin, end, value.real);
    if (real_error != std::errc{}) return false;
    value.kind = PythonValue::Kind::kReal;
    rest_.remove_prefix(static_cast<std::size_t>(real_stop - begin));
    return true;
  }

  std::string_view rest_;
  std::size_t values_ = 0;
};

}  // namespace

const PythonValue* PythonValue::at(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size() && i < items.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

std::optional<PythonValue> read_python(std::string_view text) { return Reader(text).read(); }

}  // namespace prof::dialects
