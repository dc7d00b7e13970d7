// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/completion.hpp"
#include "tools/report/compat/nsys_names.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "libprof/model/tensor.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/options/option_values.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {
namespace {

using tools::Values;
using tools::Word;

std::vector<std::string> all_columns(const ReportInfo& info) {
  std::vector<std::string> words;
  for (const Column& column : info.columns) words.emplace_back(column.word);
  return words;
}

std::vector<std::string> keys(const ReportInfo& info) {
  std::vector<std::string> words;
  for (const std::size_t key : info.keys) words.emplace_back(info.columns[key].word);
  return words;
}

/// Words that depend on the report.
Values by_report(const Registry& registry, std::vector<std::string> (*words)(const ReportInfo&)) {
  Values values{.kind = Values::Kind::kWords, .decided_by = "--report"};
  for (const auto& report : registry.all()) {
    std::vector<std::string> own = words(report->info());
    if (!own.empty()) values.words_by.push_back({std::string(report->info().name), std::move(own)});
  }
  return values;
}

Values as_list(Values values) {
  values.is_list = true;
  return values;
}

std::vector<Word> report_words(const Registry& registry) {
  std::vector<Word> words;
  for (const auto& report : registry.all()) {
    words.push_back({std::string(report->info().name), std::string(report->info().help)});
  }
  for (const ReportList& list : report_lists()) {
    words.push_back({std::string(list.name), std::string(list.help)});
  }
  return words;
}

}  // namespace

Values report_values(const Registry& registry) { return Values::list_of(report_words(registry)); }

Values listed_values(const Registry& registry) {
  std::vector<Word> listed = report_words(registry);
  for (const RowKind* kind : row_kinds()) {
    // A report and a table may have one name.
    const auto is_it = [kind](const Word& word) { return word.text == kind->names.table; };
    if (std::ranges::any_of(listed, is_it)) continue;
    listed.push_back({std::string(kind->names.table), std::string(kind->names.help)});
  }
  return Values::list_of(std::move(listed));
}

Values form_values() {
  std::vector<Word> words;
  for (const FormInfo& form : forms()) {
    words.push_back({std::string(form.word), std::string(form.help)});
  }
  return Values::one_of(std::move(words));
}

Values export_values() {
  std::vector<Word> words;
  const formats::Registry formats = export_formats();
  for (const formats::Format& format : formats.all()) {
    words.push_back({std::string(format.word), std::string(format.help)});
  }
  return Values::one_of(std::move(words));
}

Values filter_values(std::string_view flag) {
  std::vector<Word> words;
  if (flag == "--dir") {
    for (const Direction one : {Direction::kFprop, Direction::kBprop, Direction::kUpdate}) {
      words.push_back({std::string(name(one)), ""});
    }
    return Values::one_of(std::move(words));
  }
  if (flag != "--kind") return {};
  for (const std::string_view kind : work_kinds()) words.push_back({std::string(kind), ""});
  return Values::list_of(std::move(words));
}

Values column_values(const Registry& registry) { return as_list(by_report(registry, all_columns)); }
Values key_values(const Registry& registry) { return as_list(by_report(registry, keys)); }
Values sort_values(const Registry& registry) { return by_report(registry, all_columns); }

tools::ManualSection report_section(const Registry& registry) {
  tools::ManualSection section{"REPORTS", {}};
  for (const auto& report : registry.all()) {
    const ReportInfo& info = report->info();
    std::string text(info.help);
    text += ". Columns: ";
    for (const Column& column : std::span(info.columns).first(info.listed)) {
      text.append(&column == &info.columns.front() ? "" : ", ").append(column.word);
    }
    section.entries.push_back({std::string(info.name), std::move(text)});
  }
  for (const ReportList& list : report_lists()) {
    section.entries.push_back({std::string(list.name), std::string(list.help)});
  }
  return section;
}

}  // namespace prof::reports
