// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion for zsh: the specifications of its _arguments.
#include <fmt/format.h>

#include <iterator>

#include "tools/manual/forms.hpp"
#include "tools/manual/texts.hpp"

namespace prof::manuals {
namespace {

using tools::Manual;
using tools::ManualOption;
using tools::Values;
using tools::Word;

/// For a text in single quotes.
std::string zsh_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) c == '\'' ? result += "'\\''" : result += c;
  return result + "'";
}

std::string help_of(std::string_view help) { return "[" + escaped(help, "[]\\") + "]"; }

std::string zsh_words_function(const ManualOption& option, const std::string& id) {
  return fmt::format("_{}_{}", id, long_name(option));
}

/// The action of _arguments that completes the option's value.
std::string action(const ManualOption& option, const std::string& id) {
  switch (option.values.kind) {
    case Values::Kind::kWords:
      return zsh_words_function(option, id);
    case Values::Kind::kFile:
      return "_files -g \"" + option.values.glob + "\"";
    case Values::Kind::kUnknown:
    case Values::Kind::kCommand:
      break;
  }
  return " ";
}

/// A function that offers the words of an option.
void append_zsh_words(const Manual& manual, const ManualOption& option, const std::string& id,
                      std::string& text) {
  const Values& values = option.values;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "\n{}() {{\n", zsh_words_function(option, id));
  const std::string how = fmt::format("_values {}{}", values.is_list ? "-s , " : "",
                                      zsh_quoted(escaped(option.type, "[]:\\")));
  if (values.decided_by.empty()) {
    text += "  " + how;
    for (const Word& word : values.words) {
      text +=
          " \\\n    " + zsh_quoted(word.help.empty() ? word.text : word.text + help_of(word.help));
    }
    text += "\n}\n";
    return;
  }
  std::string given;
  for (const std::string& flag : flags_of(manual, values.decided_by)) {
    given += fmt::format("${{opt_args[{}]}}", flag);
  }
  fmt::format_to(to,
                 "  local given=\"{}\" word\n  local -aU words\n"
                 "  for word in ${{(s:,:)${{given:-{}}}}}; do\n    case $word in\n",
                 given, values.words_by.front().word);
  for (const Values::WordsBy& by : values.words_by) {
    fmt::format_to(to, "      {}) words+=({}) ;;\n", by.word, joined(by.words, " "));
  }
  fmt::format_to(to, "    esac\n  done\n  (($#words)) && {} $words\n}}\n", how);
}

/// '(-r --report)'{-r+,--report=}'[help]:NAMES:action'
std::string specification(const ManualOption& option, const std::string& id) {
  std::vector<std::string> forms;
  for (const std::string& flag : option.flags) {
    const bool is_long = flag.starts_with("--");
    forms.push_back(flag + (option.type.empty() ? "" : is_long ? "=" : "+"));
  }
  const bool has_several = forms.size() > 1;
  std::string text;
  if (option.is_repeatable) {
    text = "'*'";
  } else if (has_several) {
    text = "'(" + joined(option.flags, " ") + ")'";
  }
  text += has_several ? "{" + joined(forms, ",") + "}" : forms.front();
  std::string rest = help_of(option.help);
  if (!option.type.empty()) rest += ":" + escaped(option.type, ":\\") + ":" + action(option, id);
  return text + zsh_quoted(rest);
}

}  // namespace

std::string zsh_completion(const Manual& manual) {
  const std::string id = identifier(manual.program);
  std::string text = fmt::format(
      "#compdef {}\n# Made from the program's own description of its options.\n", manual.program);
  std::string specifications;
  for (const ManualOption& option : manual.options) {
    if (option.values.kind == Values::Kind::kWords) append_zsh_words(manual, option, id, text);
    specifications += " \\\n    " + specification(option, id);
  }
  // Where a command follows, its first word ends our options.
  const bool is_command = manual.argument.kind == Values::Kind::kCommand;
  fmt::format_to(std::back_inserter(text),
                 "\n_{}() {{\n  local -A opt_args\n  _arguments -s -S :{}", id, specifications);
  text +=
      is_command
          ? " \\\n    '(-)1:program: _command_names -e' \\\n    '*::arguments: _normal'\n"
          : " \\\n    " + zsh_quoted("*:file:_files -g \"" + manual.argument.glob + "\"") + "\n";
  fmt::format_to(std::back_inserter(text), "}}\n\n_{} \"$@\"\n", id);
  return text;
}

}  // namespace prof::manuals
