// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <utility>

#include "tools/common/nearest.hpp"
#include "tools/common/unicode.hpp"
#include "tools/common/version.hpp"

namespace prof::tools {
namespace {

/// CLI11 appends the values that it checks for: "MODE:{a,b}".
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(":{"));
}

/// In lines of so many columns, as far as words allow.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  while (!text.empty()) lines.append(lines.empty() ? "" : "\n").append(take_line(text, width));
  return lines;
}

class WithUsage final : public CLI::Formatter {
 public:
  explicit WithUsage(const std::vector<std::string>& ways) {
    for (const std::string& way : ways)
      usage_ += (usage_.empty() ? "Usage: " : "       ") + way + "\n";
  }
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return usage_;
  }

 private:
  std::string usage_;
};

}  // namespace

CommandLine::CommandLine(const std::string& program, const std::string& brief)
    : app_(std::make_unique<CLI::App>(brief, program)) {}
CommandLine::~CommandLine() = default;

CLI::Option& CommandLine::shown_as(CLI::Option* option, const OptionText& text,
                                   const Check& check) {
  option->type_name(text.type);
  if (check) option->check(check);
  if (text.values.kind != Values::Kind::kUnknown) values_[option->get_name()] = text.values;
  return *option;
}

std::string CommandLine::help() const {
  constexpr std::size_t kWidth = 100;
  for (CLI::Option* const option : app_->get_options()) {
    option->description(wrapped(on_one_line(option->get_description()), kWidth - help_column_));
  }
  return app_->help();
}

void CommandLine::value(const OptionText& text, std::string& to, const Check& check) {
  shown_as(app_->add_option(text.flags, to, text.help), text, check);
}

void CommandLine::word(const OptionText& text, std::string& to) {
  std::vector<std::string> words;
  for (const Word& one : text.values.words) words.push_back(one.text);
  shown_as(app_->add_option(text.flags, to, text.help), text).check(CLI::IsMember(words));
}

void CommandLine::values(const OptionText& text, std::vector<std::string>& to, const Check& check) {
  shown_as(app_->add_option(text.flags, to, text.help), text, check).allow_extra_args(false);
}

void CommandLine::optional_value(const OptionText& text, std::string& to) {
  shown_as(app_->add_option(text.flags, to, text.help), text).expected(0, 1);
}

void CommandLine::list(const OptionText& text, std::vector<std::string>& to) {
  shown_as(app_->add_option(text.flags, to, text.help), text);
}

void CommandLine::each(const OptionText& text, const std::function<void(const std::string&)>& take,
                       const Check& check) {
  shown_as(app_->add_option_function<std::string>(text.flags, take, text.help), text, check);
}

void CommandLine::positive(const OptionText& text, int& to) {
  shown_as(app_->add_option(text.flags, to, text.help), text)
      .check(CLI::Range(1, std::numeric_limits<int>::max()).description(""));
}

void CommandLine::flag(const std::string& flags, bool& to, const std::string& help) {
  app_->add_flag(flags, to, help);
}

void CommandLine::flag(const std::string& flags, const std::function<void()>& take,
                       const std::string& help) {
  app_->add_flag_callback(flags, take, help);
}

void CommandLine::number(const std::string& flags, bool& to, const std::string& help) {
  app_->add_option(flags, to, help)->capture_default_str();
}

void CommandLine::number(const std::string& flags, int& to, const std::string& help) {
  app_->add_option(flags, to, help)->capture_default_str();
}

void CommandLine::number(const std::string& flags, std::int64_t& to, const std::string& help) {
  app_->add_option(flags, to, help)->capture_default_str();
}

void CommandLine::number(const std::string& flags, std::uint64_t& to, const std::string& help) {
  app_->add_option(flags, to, help)->capture_default_str();
}

void CommandLine::number(const std::string& flags, float& to, const std::string& help) {
  app_->add_option(flags, to, help)->capture_default_str();
}

void CommandLine::numbers(const std::string& flags, std::vector<int>& to, const std::string& help) {
  app_->add_option(flags, to, help)->delimiter(',')->capture_default_str();
}

void CommandLine::argument(const std::string& name, std::string& to, const std::string& help) {
  app_->add_option(name, to, help)->required()->type_name("");
}

void CommandLine::arguments(const std::string& name, std::vector<std::string>& to,
                            const std::string& help) {
  app_->add_option(name, to, help)->type_name("");
}

void CommandLine::version() {
  app_->set_version_flag("--version", version_line(program()), "show the version");
}

void CommandLine::usage(const std::vector<std::string>& ways) {
  app_->formatter(std::make_shared<WithUsage>(ways));
}

void CommandLine::footer(const std::string& text) { app_->footer(text); }

void CommandLine::help_column(std::size_t column) {
  help_column_ = column;
  app_->get_formatter()->column_width(column);
}

void CommandLine::ends_at_first_argument() { app_->prefix_command(); }

void CommandLine::leaves_unknown_options() { app_->allow_extras(); }

void CommandLine::not_here(const std::string& flag, const std::string& advice) {
  not_here_[flag] = advice;
}

CommandLine::Parsed CommandLine::parse(int argc, const char* const* argv) {
  const bool asks_for_help =
      argc == 2 && std::string_view(argv[1]) == "help" && access(argv[1], F_OK) != 0;
  if (asks_for_help) return {.answer = help(), .mistake = {}};
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.answer = help(), .mistake = {}};
  } catch (const CLI::Success& version) {
    return {.answer = std::string(version.what()) + "\n", .mistake = {}};
  } catch (const CLI::ParseError& error) {
    return {.answer = {}, .mistake = error.what()};
  }
  return {};
}

bool CommandLine::given(const std::string& flag) const { return app_->count(flag) > 0; }

std::vector<std::string> CommandLine::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

std::vector<std::string> CommandLine::rest() const { return app_->remaining(); }

std::string CommandLine::program() const { return app_->get_name(); }

Error CommandLine::unknown_option(const std::string& word) const {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> flags;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    for (const std::string& flag : option->get_lnames()) flags.push_back("--" + flag);
  }
  const auto advice = not_here_.find(name);
  std::string hint =
      advice != not_here_.end()
          ? advice->second
          : did_you_mean(name, std::vector<std::string_view>(flags.begin(), flags.end()));
  if (hint.empty()) hint = "see " + program() + " --help";
  return {.what = "unknown option '" + name + "'", .where = "", .hint = hint};
}

std::vector<ManualOption> CommandLine::manual_options() const {
  std::vector<ManualOption> options;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (!option->nonpositional()) continue;
    ManualOption one{.flags = {}, .type = {}, .help = on_one_line(option->get_description())};
    for (const std::string& name : option->get_snames()) one.flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.flags.push_back("--" + name);
    if (option->get_items_expected_max() > 0) one.type = type_of(*option);
    one.is_repeatable = option->get_items_expected_max() > 1;
    const auto known = values_.find(option->get_name());
    if (known != values_.end()) one.values = known->second;
    options.push_back(std::move(one));
  }
  return options;
}

}  // namespace prof::tools
