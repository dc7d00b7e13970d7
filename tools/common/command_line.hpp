// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CommandLine: the options of a program. They are declared once, and make the parser, --help and
// the manual page. Behind it is CLI11, which takes a compiler so long that one file includes it.
// What an option writes to must outlive the object. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/manual.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace prof::tools {

/// How --help and error messages show an option.
struct OptionText {
  std::string flags;  ///< "-o,--output".
  std::string type;   ///< Of its value: "FILE".
  std::string help;
  Values values = {};  ///< Which there are, for completion.
};

/// -f has one meaning in all programs (docs/decisions/0011-report-program.md): for those that
/// print no reports.
inline constexpr const char* kFormNotForce =
    "-f is prof-report's --format; replace an existing output with --force";

class CommandLine {
 public:
  /// What is wrong with a value; empty: nothing.
  using Check = std::function<std::string(const std::string&)>;

  explicit CommandLine(const std::string& program, const std::string& brief = {});
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  void value(const OptionText& text, std::string& to, const Check& check = {});
  /// One of the words that its values are.
  void word(const OptionText& text, std::string& to);
  /// May be repeated, each time with one value.
  void values(const OptionText& text, std::vector<std::string>& to, const Check& check = {});
  /// May be given without a value, too.
  void optional_value(const OptionText& text, std::string& to);
  /// One or more values follow it.
  void list(const OptionText& text, std::vector<std::string>& to);
  void each(const OptionText& text, const std::function<void(const std::string&)>& take,
            const Check& check = {});
  /// From 1 up.
  void positive(const OptionText& text, int& to);
  void flag(const std::string& flags, bool& to, const std::string& help);
  void flag(const std::string& flags, const std::function<void()>& take, const std::string& help);
  /// Numbers, whose present value --help shows as the default.
  void number(const std::string& flags, bool& to, const std::string& help);
  void number(const std::string& flags, int& to, const std::string& help);
  void number(const std::string& flags, std::int64_t& to, const std::string& help);
  void number(const std::string& flags, std::uint64_t& to, const std::string& help);
  void number(const std::string& flags, float& to, const std::string& help);
  /// Separated by commas.
  void numbers(const std::string& flags, std::vector<int>& to, const std::string& help);
  /// A required argument.
  void argument(const std::string& name, std::string& to, const std::string& help);
  void arguments(const std::string& name, std::vector<std::string>& to, const std::string& help);
  /// --version: version_line() of the program.
  void version();

  /// The ways to call the program, if "PROGRAM [OPTIONS] ARGUMENTS" does not say it all: before
  /// anything else about the look of --help.
  void usage(const std::vector<std::string>& ways);
  /// Follows the options in --help.
  void footer(const std::string& text);
  void help_column(std::size_t column);
  /// The first word that is no option starts rest().
  void ends_at_first_argument();
  /// Unknown options are left in rest(), instead of being mistakes.
  void leaves_unknown_options();
  /// A flag that this program does not have, though people type it: the message for them.
  void not_here(const std::string& flag, const std::string& advice);

  struct Parsed {
    std::optional<std::string> answer;   ///< Of --help or --version: to be printed, no more.
    std::optional<std::string> mistake;  ///< What is wrong with the words.
  };
  /// "help" alone is --help, unless a file has that name.
  [[nodiscard]] Parsed parse(int argc, const char* const* argv);

  /// About an option that is left in rest(), with the nearest one.
  [[nodiscard]] Error unknown_option(const std::string& word) const;

  /// After parse().
  [[nodiscard]] bool given(const std::string& flag) const;
  /// Flags and arguments that are given, by their long names, in the order of their declaration.
  [[nodiscard]] std::vector<std::string> given() const;
  /// What no option took.
  [[nodiscard]] std::vector<std::string> rest() const;

  [[nodiscard]] std::string program() const;
  [[nodiscard]] std::vector<ManualOption> manual_options() const;

 private:
  CLI::Option& shown_as(CLI::Option* option, const OptionText& text, const Check& check = {});
  [[nodiscard]] std::string help() const;

  std::unique_ptr<CLI::App> app_;
  std::size_t help_column_ = 30;
  std::map<std::string, Values> values_;  // by name
  std::map<std::string, std::string> not_here_;
};

}  // namespace prof::tools
