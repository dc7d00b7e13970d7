// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/text_cases/case_file.hpp"

#include <fstream>

namespace prof::text_cases {
namespace {

std::size_t indentation(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == line.npos ? line.size() : at;
}

bool is_blank(std::string_view line) { return indentation(line) == line.size(); }

class Reader {
 public:
  explicit Reader(const std::string& path) {
    file_.path = path;
    std::ifstream in(path);
    if (!in) throw CaseError{0, "cannot be read"};
    for (std::string line; std::getline(in, line);) file_.lines.push_back(line);
  }

  CaseFile read() {
    while (at_ < file_.lines.size()) {
      std::string_view line = file_.lines[at_];
      if (is_blank(line) || line.front() == '#') {
        ++at_;
        continue;
      }
      const std::string_view word = take_word(line);
      if (word == "let") {
        read_name(line);
      } else if (word == "text") {
        read_text(line);
      } else if (word == "def") {
        const std::string name(line);
        ++at_;
        file_.programs[name] = read_commands();
      } else if (word == "case") {
        read_case(line);
      } else {
        throw CaseError{at_ + 1, "a line at the margin begins with let, text, def or case"};
      }
    }
    return std::move(file_);
  }

 private:
  void read_name(std::string_view line) {
    const std::string name(take_word(line));
    if (take_word(line) != "=") throw CaseError{at_ + 1, "write: let NAME = TEXT"};
    file_.names[name] = with_names(file_, at_ + 1, line);
    ++at_;
  }

  /// Lines as they are, less two columns.
  void read_text(std::string_view name) {
    std::string text;
    for (++at_; at_ < file_.lines.size(); ++at_) {
      const std::string& line = file_.lines[at_];
      if (!is_blank(line) && indentation(line) < 2) break;
      text.append(line.size() < 2 ? "" : line.substr(2)).push_back('\n');
    }
    while (text.ends_with("\n\n")) text.pop_back();
    file_.names[std::string(name)] = text;
  }

  void read_case(std::string_view title) {
    Case made;
    made.line = ++at_;
    made.title = title;
    made.first = at_;
    made.program = read_commands();
    made.last = at_;
    while (at_ < file_.lines.size() && file_.lines[at_].starts_with("  =>")) {
      made.expectations.push_back(read_expectation());
    }
    if (made.expectations.empty()) throw CaseError{made.line, "a case without an expectation"};
    file_.cases.push_back(std::move(made));
  }

  Expectation read_expectation() {
    Expectation expected;
    expected.first = at_;
    std::string_view text = file_.lines[at_];
    text.remove_prefix(std::min(text.find_first_not_of(' ', 4), text.size()));
    if (text.starts_with('[')) {
      const std::size_t end = std::min(text.find(']'), text.size());
      expected.options = text.substr(1, end - 1);
      text.remove_prefix(std::min(end + 2, text.size()));
    }
    expected.columns = text;
    while (++at_ < file_.lines.size()) {
      const std::string& line = file_.lines[at_];
      if (is_blank(line) || indentation(line) < 2 || line.starts_with("  =>")) break;
    }
    expected.last = at_;
    if (expected.columns.empty() && expected.first + 1 == expected.last) {
      throw CaseError{expected.first + 1, "nothing is expected: name columns or counts"};
    }
    return expected;
  }

  /// The indented lines from here on, up to a "=>" or the margin.
  std::vector<Command> read_commands() {
    std::vector<Command> all;
    // The commands that a deeper line may be inside of, with their indentation.
    std::vector<std::pair<std::size_t, std::vector<Command>*>> open = {{2, &all}};
    for (; at_ < file_.lines.size(); ++at_) {
      const std::string& line = file_.lines[at_];
      if (is_blank(line)) continue;
      const std::size_t depth = indentation(line);
      if (depth == 0 || line.starts_with("  =>")) break;
      if (line[depth] == '#') continue;
      if (depth > open.back().first) {
        if (open.back().second->empty()) throw CaseError{at_ + 1, "indented by more than 2"};
        open.emplace_back(depth, &open.back().second->back().inside);
      }
      while (depth < open.back().first) open.pop_back();
      if (depth != open.back().first) throw CaseError{at_ + 1, "indented as no line above it"};
      open.back().second->push_back(
          {at_ + 1, with_names(file_, at_ + 1, std::string_view(line).substr(depth)), {}});
    }
    return all;
  }

  CaseFile file_;
  std::size_t at_ = 0;
};

}  // namespace

std::string with_names(const CaseFile& file, std::size_t line, std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t at = text.find("${");
    result += text.substr(0, at);
    if (at == text.npos) return result;
    const std::size_t end = text.find('}', at);
    const std::string_view name = text.substr(at + 2, end - at - 2);
    const auto found = file.names.find(name);
    if (found == file.names.end()) {
      throw CaseError{line, "no line above says: let " + std::string(name) + " = ..."};
    }
    result += found->second;
    text.remove_prefix(end + 1);
  }
}

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

CaseFile read_case_file(const std::string& path) { return Reader(path).read(); }

}  // namespace prof::text_cases
