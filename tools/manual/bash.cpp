// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion for bash 4 and later. The functions of the package bash-completion are used where they
// are loaded, but not needed.
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

// Names of files with blanks stay whole: mapfile. bash breaks --option=value
// into three words.
constexpr std::string_view kHelpers = R"sh(
_@_files() {  # GLOB
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X "!$1" -- "$cur")
  ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

_@_one() {  # WORDS
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_@_list() {  # WORDS: the last one of a list separated by commas
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  compopt -o nospace 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
}
)sh";

constexpr std::string_view kBashGiven = R"sh(
_@_given() {  # FLAG...: the words that an option has got
  local i flag value
  for ((i = 1; i < ${#COMP_WORDS[@]}; ++i)); do
    for flag in "$@"; do
      [[ ${COMP_WORDS[i]} == "$flag" ]] || continue
      value=${COMP_WORDS[i + 1]}
      [[ $value == = ]] && value=${COMP_WORDS[i + 2]}
      printf '%s\n' "${value//,/ }"
    done
  done
}
)sh";

// The program's own words are completed as if they were typed without what is before them.
constexpr std::string_view kCommand = R"sh(
_@_command() {  # INDEX of the command in COMP_WORDS
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$cur")
  else
    _@_files '*'
  fi
}
)sh";

/// "_@_files" -> "_prof_run_files".
std::string named(std::string_view text, const std::string& id) {
  constexpr std::string_view kMark = "_@_";
  std::string result;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark)) {
    result.append(text.substr(0, at)).append("_" + id + "_");
    text.remove_prefix(at + kMark.size());
  }
  return result.append(text);
}

/// The call that completes a value; empty: nothing is known.
std::string completer(const ManualOption& option, const std::string& id) {
  const Values& values = option.values;
  const char* const how = values.is_list ? "list" : "one";
  if (values.kind == Values::Kind::kFile) return fmt::format("_{}_files '{}'", id, values.glob);
  if (values.kind != Values::Kind::kWords) return {};
  if (!values.decided_by.empty()) {
    return fmt::format("_{0}_{1} \"$(_{0}_{2}_words)\"", id, how, long_name(option));
  }
  return fmt::format("_{}_{} '{}'", id, how, joined(texts_of(values.words), " "));
}

/// A function that prints the words that another option's words decide.
void append_bash_words(const Manual& manual, const ManualOption& option, const std::string& id,
                       std::string& text) {
  const Values& values = option.values;
  const auto to = std::back_inserter(text);
  fmt::format_to(to,
                 "\n_{0}_{1}_words() {{\n  local word words\n  words=$(_{0}_given {2})\n"
                 "  for word in ${{words:-{3}}}; do\n    case $word in\n",
                 id, long_name(option), joined(flags_of(manual, values.decided_by), " "),
                 values.words_by.front().word);
  for (const Values::WordsBy& by : values.words_by) {
    fmt::format_to(to, "      {}) echo '{}' ;;\n", by.word, joined(by.words, " "));
  }
  text += "    esac\n  done\n}\n";
}

/// Ends completion of our own words where the program's command begins.
std::string command_search(const Manual& manual, const std::string& id) {
  std::vector<std::string> with_value;
  for (const ManualOption& option : manual.options) {
    if (!option.type.empty()) {
      with_value.insert(with_value.end(), option.flags.begin(), option.flags.end());
    }
  }
  return fmt::format(R"sh(
  local i=1
  while ((i < COMP_CWORD)); do
    case ${{COMP_WORDS[i]}} in
      --) _{0}_command $((i + 1)); return ;;
      {1}) [[ ${{COMP_WORDS[i + 1]}} == = ]] && ((++i)); ((i += 2)) ;;
      -*) ((++i)) ;;
      *) _{0}_command "$i"; return ;;
    esac
  done
)sh",
                     id, joined(with_value, "|"));
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  const std::string id = identifier(manual.program);
  const bool is_command = manual.argument.kind == Values::Kind::kCommand;
  std::string text = fmt::format(
      "# Completion of {} for bash. Made from the program's own description of its options.\n",
      manual.program);
  text += named(kHelpers, id);
  if (is_command) text += named(kCommand, id);
  std::string cases;
  std::vector<std::string> flags;
  bool is_asked = false;
  for (const ManualOption& option : manual.options) {
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
    const bool is_decided = !option.values.decided_by.empty();
    if (is_decided && !std::exchange(is_asked, true)) text += named(kBashGiven, id);
    if (is_decided) append_bash_words(manual, option, id, text);
    if (option.type.empty()) continue;
    const std::string call = completer(option, id);
    cases += fmt::format("    {}) {}return ;;\n", joined(option.flags, "|"),
                         call.empty() ? "" : call + "; ");
  }
  fmt::format_to(std::back_inserter(text),
                 "\n_{0}() {{\n  local cur=${{COMP_WORDS[COMP_CWORD]}} "
                 "previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n  COMPREPLY=()\n",
                 id);
  if (is_command) text += command_search(manual, id);
  fmt::format_to(std::back_inserter(text), R"sh(
  if [[ $cur == = ]]; then
    cur=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case $previous in
{}  esac
  if [[ $cur == -* ]]; then
    _{}_one '{}'
    return
  fi
)sh",
                 cases, id, joined(flags, " "));
  text += is_command ? fmt::format("  _{}_command \"$COMP_CWORD\"\n", id)
                     : fmt::format("  _{}_files '{}'\n", id, manual.argument.glob);
  fmt::format_to(std::back_inserter(text), "}}\ncomplete -F _{} {}\n", id, manual.program);
  return text;
}

}  // namespace prof::manuals
