// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/option_values.hpp"

#include <fmt/format.h>

#include "tools/common/nearest.hpp"
#include "tools/common/words.hpp"

namespace prof::reports {

std::vector<std::string_view> report_names(const Registry& registry) {
  std::vector<std::string_view> names;
  for (const auto& report : registry.all()) names.push_back(report->info().name);
  return names;
}

std::vector<std::string_view> rollup_names(const Registry& registry) {
  std::vector<std::string_view> names;
  for (const auto& report : registry.all()) {
    if (!report->info().keys.empty()) names.push_back(report->info().name);
  }
  return names;
}

std::vector<std::string_view> form_names() {
  std::vector<std::string_view> names;
  for (const FormInfo& form : forms()) names.push_back(form.word);
  return names;
}

formats::Registry export_formats() {
  formats::Registry registry;
  register_builtin(registry);
  return registry;
}

std::vector<std::string_view> export_words() {
  std::vector<std::string_view> words;
  const formats::Registry formats = export_formats();
  for (const formats::Format& format : formats.all()) words.push_back(format.word);
  return words;
}

std::string flag_of(const FormInfo& form) { return std::string("-f ").append(form.word); }

std::string list_of(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

Error unknown(std::string_view what, const std::string& word, std::string_view option,
              std::span<const std::string_view> valid) {
  std::string hint = tools::did_you_mean(word, valid);
  if (!hint.empty()) hint += " ";
  return {.what = "unknown " + std::string(what) + " '" + word + "'",
          .where = std::string(option),
          .hint = hint + std::string(what) + "s are " + list_of(valid)};
}

Result<std::uint64_t> parse_count(const std::string& word, std::string_view option,
                                  std::string_view what, std::string_view hint) {
  const auto number = tools::parse_number<std::uint64_t>(word);
  if (number.value_or(0) != 0) return *number;
  return Error{.what = fmt::format("'{}' is not {}", word, what),
               .where = std::string(option),
               .hint = std::string(hint)};
}

Error clash(std::string_view option, std::string_view with, std::string_view hint) {
  return {.what = "does not go with " + std::string(with),
          .where = std::string(option),
          .hint = std::string(hint)};
}

}  // namespace prof::reports
