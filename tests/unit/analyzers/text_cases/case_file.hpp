// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A file of text cases as its author wrote it: programs that push ranges and launch work, and what
// the attribution of that work has to be. docs/testing.md describes the form.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace prof::text_cases {

/// What is wrong with a file; the only thing that this program throws.
struct CaseError {
  std::size_t line = 0;  ///< From 1.
  std::string what;
};

/// A line of a program, with the deeper lines below it.
struct Command {
  std::size_t line = 0;
  std::string text;  ///< Without its indentation; names in ${} are replaced.
  std::vector<Command> inside;
};

/// "=> [OPTIONS] COLUMNS", a row a line, counts.
struct Expectation {
  std::string options, columns;
  std::size_t first = 0, last = 0;  ///< Its lines in CaseFile::lines, by index; `last` is beyond.
};

struct Case {
  std::size_t line = 0;
  std::string title;
  std::size_t first = 0, last = 0;  ///< Its program in CaseFile::lines, by index.
  std::vector<Command> program;
  std::vector<Expectation> expectations;
};

struct CaseFile {
  std::string path;
  std::vector<std::string> lines;
  std::map<std::string, std::string, std::less<>> names;              ///< Of "let" and "text".
  std::map<std::string, std::vector<Command>, std::less<>> programs;  ///< Of "def".
  std::vector<Case> cases;
};

/// Throws CaseError.
CaseFile read_case_file(const std::string& path);

/// `text` with what ${NAME} stands for.
std::string with_names(const CaseFile& file, std::size_t line, std::string_view text);

/// `text` up to the first space, which `text` then begins after.
std::string_view take_word(std::string_view& text);

}  // namespace prof::text_cases
