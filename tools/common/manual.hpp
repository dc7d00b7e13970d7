// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Manual: what a program's command line is, for its manual page and for completion by shells. Made
// from the options that also make --help (command_line.hpp); a program adds which values there are.
// tools/manual writes it down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::tools {

struct Word {
  std::string text, help;
};

/// The values that an option or an argument accepts.
struct Values {
  enum class Kind : std::uint8_t {
    kUnknown,
    kWords,
    kFile,     ///< Names like `glob`.
    kCommand,  ///< A program and its arguments.
  };
  Kind kind = Kind::kUnknown;
  std::string glob = "*";
  bool is_list = false;  ///< Several words, separated by commas.
  std::vector<Word> words = {};
  /// Or the words depend on those of another option: `words_by` has them for each of its words, the
  /// first one's if it is not given.
  std::string decided_by = {};
  struct WordsBy {
    std::string word;
    std::vector<std::string> words;
  };
  std::vector<WordsBy> words_by = {};

  static Values file(std::string glob);
  static Values one_of(std::vector<Word> words);
  static Values list_of(std::vector<Word> words);
};

struct ManualOption {
  std::vector<std::string> flags;  ///< "-r", "--report".
  std::string type;                ///< Empty: takes no value.
  std::string help;
  bool is_repeatable = false;
  Values values = {};
};

struct ManualSection {
  std::string title;
  std::vector<Word> entries;  ///< A word without a text is a paragraph.
};

struct Manual {
  std::string program;
  std::string brief;      ///< One sentence.
  std::string arguments;  ///< As the synopsis has it: "[OPTIONS] trace.db...".
  Values argument;        ///< Each of the arguments.
  std::vector<ManualOption> options;
  std::vector<ManualSection> sections;
};

/// The other pages, and where the documentation is.
ManualSection see_also(std::string pages);

/// Joins the lines of a help text, which breaks lines where a terminal would.
std::string on_one_line(std::string text);

}  // namespace prof::tools
