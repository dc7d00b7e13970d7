// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/kernel_name.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "libprof/base/ascii.hpp"
#include "libprof/base/demangle.hpp"

namespace prof::kernels {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_identifier_char(char c) { return is_word(c) || c == '$'; }

/// Length of the operator symbol at the start of `text`, or 0. `text` is what follows the word
/// "operator".
std::size_t operator_symbol_length(std::string_view text) {
  // Longest first, so that "<<=" is not read as "<".
  for (const std::string_view symbol :
       {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "&&", "||",
        "==",  "!=",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
        ">",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  "!",  "=",  ","}) {
    if (text.starts_with(symbol)) return symbol.size();
  }
  return 0;
}

/// Reads a demangled name once from left to right and keeps what is outside template arguments and
/// parameters.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  std::string cut() {
    while (at_ < text_.size() && !done_) step();
    std::string name = strip_return_type();
    strip_namespaces(name);
    return name;
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  void keep(std::size_t count) {
    kept_ += text_.substr(at_, count);
    at_ += count;
  }

  void step() {
    if (rest().starts_with(kAnonymous)) {
      at_ += kAnonymous.size();
      if (rest().starts_with("::")) at_ += 2;
      return;
    }
    if (starts_operator()) return keep_operator();
    switch (text_[at_]) {
      case '<':
        skip_group('<', '>');
        return;
      case '(':
        return parameters();
      case '{':  // {lambda(int)#1}, {unnamed type#1}, {default arg#1}
      case '[': {
        const std::size_t start = at_;
        skip_group(text_[at_], text_[at_] == '{' ? '}' : ']');
        if (text_[start] == '{') append_literal(text_.substr(start, at_ - start));
        return;
      }
      default:
        keep(1);
    }
  }

  /// Spaces inside {...} must not be taken for the end of a return type.
  void append_literal(std::string_view part) {
    for (const char c : part) kept_ += c == ' ' ? kHardSpace : c;
  }

  [[nodiscard]] bool starts_operator() const {
    constexpr std::string_view kWord = "operator";
    if (!rest().starts_with(kWord)) return false;
    if (at_ > 0 && is_identifier_char(text_[at_ - 1])) return false;
    const std::string_view after = rest().substr(kWord.size());
    return !after.empty() && !is_identifier_char(after.front());
  }

  void keep_operator() {
    keep(std::string_view("operator").size());
    if (const std::size_t length = operator_symbol_length(rest()); length > 0) {
      keep(length);
      return;
    }
    // "operator new", "operator bool": a type or word up to the parameters.
    while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != '<') {
      kept_ += text_[at_] == ' ' ? kHardSpace : text_[at_];
      ++at_;
    }
  }

  /// Parameters end the name, unless the name continues after them: a local entity of a function.
  void parameters() {
    if (kept_.empty() || kept_.ends_with(' ')) {  // "(*)(int)" and such: part of a type
      skip_group('(', ')');
      return;
    }
    const std::string_view before = last_word();
    skip_group('(', ')');
    if (before == "decltype" || before == "noexcept") return;
    std::size_t next = at_;
    for (const std::string_view qualifier : {" const", " volatile", " &&", " &"}) {
      if (text_.substr(next).starts_with(qualifier)) next += qualifier.size();
    }
    if (text_.substr(next).starts_with("::")) {
      at_ = next;
    } else {
      done_ = true;
    }
  }

  [[nodiscard]] std::string_view last_word() const {
    std::size_t start = kept_.size();
    while (start > 0 && is_identifier_char(kept_[start - 1])) --start;
    return std::string_view(kept_).substr(start);
  }

  /// Skips a bracket and its contents; to the end if it is never closed. Inside parentheses a `>`
  /// may be an operator, so it closes only what was opened there.
  void skip_group(char open, char close) {
    std::vector<char> closers{close};
    static_cast<void>(open);
    ++at_;
    while (at_ < text_.size() && !closers.empty()) {
      if (starts_operator()) {
        at_ += std::string_view("operator").size();
        at_ += operator_symbol_length(rest());
        continue;
      }
      const char c = text_[at_];
      if (c == '<' && !(at_ > 0 && text_[at_ - 1] == ')' && !after_call_operator())) {
        closers.push_back('>');
      } else if (c == '(') {
        closers.push_back(')');
      } else if (c == '{') {
        closers.push_back('}');
      } else if (c == '[') {
        closers.push_back(']');
      } else if (c == '>') {
        const bool arrow = at_ > 0 && text_[at_ - 1] == '-';
        if (!arrow && closers.back() == '>') closers.pop_back();
      } else if (c == ')' || c == '}' || c == ']') {
        close_group(closers, c);
      }
      ++at_;
    }
  }

  [[nodiscard]] bool after_call_operator() const {
    return text_.substr(0, at_).ends_with("operator()");
  }

  /// Closes up to the bracket that `c` matches, dropping any `<` that was an operator.
  static void close_group(std::vector<char>& closers, char c) {
    std::size_t depth = closers.size();
    while (depth > 0 && closers[depth - 1] == '>' && c != '>') --depth;
    if (depth > 0 && closers[depth - 1] == c) closers.resize(depth - 1);
  }

  std::string strip_return_type() {
    while (kept_.ends_with(' ')) kept_.pop_back();
    const std::size_t space = kept_.rfind(' ');
    std::string name = space == std::string::npos ? kept_ : kept_.substr(space + 1);
    for (char& c : name) {
      if (c == kHardSpace) c = ' ';
    }
    return name;
  }

  static void strip_namespaces(std::string& name) {
    while (!name.empty() && (name.front() == '*' || name.front() == '&')) name.erase(0, 1);
    constexpr std::string_view kNative = "at::native::";
    if (name.starts_with(kNative)) name.erase(0, kNative.size());
  }

  static constexpr char kHardSpace = '\x01';

  std::string_view text_;
  std::size_t at_ = 0;
  bool done_ = false;
  std::string kept_;
};

/// Strips compiler suffixes: " [clone .constprop.0]", " [abi:cxx11]".
std::string_view without_suffixes(std::string_view name) {
  while (name.ends_with(']')) {
    const std::size_t start = name.rfind(" [");
    if (start == std::string_view::npos || start == 0) break;
    name = name.substr(0, start);
  }
  return name;
}

/// The readable part of a symbol that the demangler rejects (nvcc emits some): its leading
/// length-prefixed names, up to the template arguments. Empty if there is none.
std::string leading_names(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return {};
  symbol.remove_prefix(symbol.starts_with("_ZN") ? 3 : 2);
  std::string name;
  while (!symbol.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
    const auto digits = static_cast<std::size_t>(end - symbol.data());
    if (error != std::errc{} || length == 0 || length > symbol.size() - digits) break;
    const std::string_view part = symbol.substr(digits, length);
    if (!std::all_of(part.begin(), part.end(), is_identifier_char)) break;
    if (!part.starts_with("_GLOBAL__N_")) name.append(name.empty() ? "" : "::").append(part);
    symbol.remove_prefix(digits + length);
  }
  return name;
}

}  // namespace

std::string demangle(std::string_view name) { return demangled(name).value_or(std::string(name)); }

std::string short_name(std::string_view demangled) {
  if (std::string name = leading_names(demangled); !name.empty()) return name;
  std::string name = Cutter(without_suffixes(demangled)).cut();
  return name.empty() ? std::string(demangled) : name;
}

}  // namespace prof::kernels
