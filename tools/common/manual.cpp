// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/manual.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <utility>

namespace prof::tools {
namespace {

/// CLI11 appends the values that it checks for: "MODE:{a,b}".
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(":{"));
}

}  // namespace

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Values Values::file(std::string glob) { return {.kind = Kind::kFile, .glob = std::move(glob)}; }

Values Values::one_of(std::vector<Word> words) {
  return {.kind = Kind::kWords, .words = std::move(words)};
}

Values Values::list_of(std::vector<Word> words) {
  return {.kind = Kind::kWords, .is_list = true, .words = std::move(words)};
}

std::vector<ManualOption> options_of(const CLI::App& app,
                                     const std::map<std::string, Values>& values) {
  std::vector<ManualOption> options;
  std::size_t used = 0;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    ManualOption one{.flags = {}, .type = {}, .help = on_one_line(option->get_description())};
    for (const std::string& name : option->get_snames()) one.flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.flags.push_back("--" + name);
    if (option->get_items_expected_max() > 0) one.type = type_of(*option);
    one.is_repeatable = option->get_items_expected_max() > 1;
    if (const auto known = values.find(one.flags.back()); known != values.end()) {
      one.values = known->second;
      ++used;
    }
    options.push_back(std::move(one));
  }
  if (used != values.size()) throw std::logic_error("values of an option that does not exist");
  return options;
}

}  // namespace prof::tools
