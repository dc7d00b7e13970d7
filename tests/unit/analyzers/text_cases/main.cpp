// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
//     analyzers_cases [--update] FILE...
//
// Runs the text cases of the files. A failing case prints its program and a diff; --update writes
// what is attributed into the files, as what is expected from then on.
#include <cstdio>
#include <fstream>

#include "tests/unit/analyzers/text_cases/case_file.hpp"
#include "tests/unit/analyzers/text_cases/check.hpp"

namespace {

using namespace prof::text_cases;  // NOLINT: this is their program

void print(const std::string& text) { std::puts(text.c_str()); }

void print_failure(const CaseFile& file, const Case& one, const Outcome& outcome) {
  print("FAILED " + file.path + ":" + std::to_string(one.line) + ": " + one.title);
  for (std::size_t i = one.first; i < one.last; ++i) print(file.lines[i]);
  const std::size_t common = std::min(outcome.expected.size(), outcome.actual.size());
  for (std::size_t i = 0; i < common; ++i) {
    const bool same = outcome.expected[i] == outcome.actual[i];
    print((same ? " " : "-") + outcome.expected[i]);
    if (!same) print("+" + outcome.actual[i]);
  }
  for (std::size_t i = common; i < outcome.expected.size(); ++i) print("-" + outcome.expected[i]);
  for (std::size_t i = common; i < outcome.actual.size(); ++i) print("+" + outcome.actual[i]);
  print("");
}

/// Writes the file with these lines in place of its expectations, whose order is that of the file.
void update(const CaseFile& file, const std::vector<Outcome>& outcomes) {
  std::ofstream out(file.path);
  std::size_t next = 0;
  auto outcome = outcomes.begin();
  const auto copy_to = [&](std::size_t end) {
    for (; next < end; ++next) out << file.lines[next] << '\n';
  };
  for (const Case& one : file.cases) {
    for (const Expectation& expected : one.expectations) {
      copy_to(expected.first);
      for (const std::string& line : outcome->actual) out << line << '\n';
      next = expected.last;
      ++outcome;
    }
  }
  copy_to(file.lines.size());
}

/// The number of cases that failed.
std::size_t run(const std::string& path, bool updates) {
  const CaseFile file = read_case_file(path);
  std::vector<Outcome> outcomes;
  std::size_t failed = 0;
  for (const Case& one : file.cases) {
    bool passed = true;
    for (Outcome& outcome : check(file, one)) {
      if (!outcome.passed && !updates) print_failure(file, one, outcome);
      passed &= outcome.passed;
      outcomes.push_back(std::move(outcome));
    }
    failed += passed ? 0 : 1;
  }
  if (updates) update(file, outcomes);
  print(path + ": " + std::to_string(file.cases.size()) + " cases, " + std::to_string(failed) +
        (updates ? " rewritten" : " failed"));
  return updates ? 0 : failed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool updates = !arguments.empty() && arguments[0] == "--update";
  std::size_t failed = 0;
  for (std::size_t i = updates ? 1 : 0; i < arguments.size(); ++i) {
    try {
      failed += run(arguments[i], updates);
    } catch (const CaseError& error) {
      print(arguments[i] + ":" + std::to_string(error.line) + ": " + error.what);
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}
