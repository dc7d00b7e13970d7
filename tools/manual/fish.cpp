// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion for fish 3 and later.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "tools/manual/forms.hpp"
#include "tools/manual/texts.hpp"

namespace prof::manuals {
namespace {

using tools::Manual;
using tools::ManualOption;
using tools::Values;
using tools::Word;

std::string fish_quoted(std::string_view text) { return "'" + escaped(text, "'\\") + "'"; }

std::string fish_words_function(const ManualOption& option, const std::string& id) {
  return fmt::format("__{}_{}", id, long_name(option));
}

/// A function that prints the words of an option, one a line, with their help after a tab.
void append_fish_words(const Manual& manual, const ManualOption& option, const std::string& id,
                       std::string& text) {
  const Values& values = option.values;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "\nfunction {}\n", fish_words_function(option, id));
  if (values.decided_by.empty()) {
    for (const Word& word : values.words) {
      fmt::format_to(to, "    printf '%s\\t%s\\n' {} {}\n", word.text, fish_quoted(word.help));
    }
    text += "end\n";
    return;
  }
  fmt::format_to(to, "    set -l words (__{}_given {})\n", id,
                 joined(flags_of(manual, values.decided_by), " "));
  fmt::format_to(to, "    test -n \"$words\"; or set words {}\n    for word in $words\n",
                 values.words_by.front().word);
  text += "        switch $word\n";
  for (const Values::WordsBy& by : values.words_by) {
    fmt::format_to(to, "            case {}\n                printf '%s\\n' {}\n", by.word,
                   joined(by.words, " "));
  }
  text += "        end\n    end\nend\n";
}

/// The words that an option has got on the command line.
constexpr std::string_view kFishGiven = R"fish(
function __{}_given
    set -l next no
    for word in (commandline -opc)
        for flag in $argv
            string match -q -- "$flag=*" $word
            and string split , -- (string replace -- "$flag=" "" $word)
        end
        test $next = yes; and string split , -- $word
        set next no
        contains -- $word $argv; and set next yes
    end
end
)fish";

}  // namespace

std::string fish_completion(const Manual& manual) {
  const std::string id = identifier(manual.program);
  std::string text = fmt::format(
      "# Completion of {} for fish. Made from the program's own description of its options.\n",
      manual.program);
  std::string lines;
  std::vector<std::string> with_value;
  bool is_asked = false;
  for (const ManualOption& option : manual.options) {
    const Values& values = option.values;
    const bool is_decided = !values.decided_by.empty();
    if (is_decided && !std::exchange(is_asked, true)) text += fmt::format(kFishGiven, id);
    if (values.kind == Values::Kind::kWords) append_fish_words(manual, option, id, text);
    lines += "complete -c " + manual.program;
    for (const std::string& flag : option.flags) {
      lines += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    }
    if (!option.type.empty()) {
      with_value.insert(with_value.end(), option.flags.begin(), option.flags.end());
      lines += values.kind == Values::Kind::kFile ? " -r -F" : " -x";
    }
    lines += " -d " + fish_quoted(option.help);
    if (values.kind == Values::Kind::kWords) {
      const std::string words = fish_words_function(option, id);
      lines += values.is_list ? fmt::format(" -a '(__fish_complete_list , {})'", words)
                              : fmt::format(" -a '({})'", words);
    }
    lines += "\n";
  }
  text += "\n" + lines;
  // Files of every name are what fish offers by itself.
  if (manual.argument.kind == Values::Kind::kFile && manual.argument.glob == "*") return text;
  const std::string arguments = manual.argument.kind == Values::Kind::kCommand
                                    ? "__fish_complete_subcommand -- " + joined(with_value, " ")
                                    : "__fish_complete_suffix " + manual.argument.glob.substr(1);
  return text + fmt::format("complete -c {} -x -a '({})'\n", manual.program, arguments);
}

}  // namespace prof::manuals
