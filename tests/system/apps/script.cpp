// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parser of test scripts, see script.hpp.
#include "script.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Statement> statements(bool inside) {
    std::vector<Statement> result;
    Statement current;
    const auto finish = [&] {
      if (!current.words.empty()) result.push_back(std::move(current));
      current = {};
    };
    while (true) {
      skip_blanks();
      if (at_ == text_.size()) {
        if (inside) fail("a block is not closed");
        finish();
        return result;
      }
      const char c = text_[at_];
      if (c == ';') {
        ++at_;
        finish();
      } else if (c == '{') {
        ++at_;
        if (current.words.empty()) fail("a block without a command");
        current.block = statements(true);
        finish();
      } else if (c == '}') {
        if (!inside) fail("a '}' too many");
        ++at_;
        finish();
        return result;
      } else {
        current.words.push_back(word());
      }
    }
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    std::fprintf(stderr, "script: %s at character %zu\n", what, at_);
    std::exit(64);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string word() {
    std::string result;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && (c == ' ' || c == '\n' || c == ';' || c == '{' || c == '}')) {
        break;
      } else {
        result += c;
      }
    }
    if (quoted) fail("a quote is not closed");
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Statement> parse_script(std::string_view text) {
  return Parser(text).statements(false);
}
