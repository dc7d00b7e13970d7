// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include "libprof/base/ascii.hpp"
#include "tools/common/nearest.hpp"
#include "tools/common/result_file.hpp"
#include "tools/common/words.hpp"
#include "tools/report/compat/nsys_names.hpp"
#include "tools/report/options/option_values.hpp"

namespace prof::reports {
namespace {

Status choose_report(std::string_view name, const std::string& word, const Registry& registry,
                     Options& options) {
  const Report* report = registry.find(name);
  if (report == nullptr) {
    std::vector<std::string_view> names = report_names(registry);
    for (const ReportList& list : report_lists()) names.push_back(list.name);
    const std::string near = tools::did_you_mean(word, names);
    return Error{.what = "unknown report '" + word + "'",
                 .where = "-r",
                 .hint = near.empty() ? "prof-report --list all shows them" : near};
  }
  if (std::ranges::find(options.reports, report, &ReportRequest::report) != options.reports.end()) {
    return Error{
        .what = fmt::format("report '{}' is given twice", name), .where = "-r", .hint = ""};
  }
  options.reports.push_back({report, {}, {}});
  return {};
}

/// An export has rows of every kind.
Status choose_export(const OptionWords& words, Options& options) {
  const formats::Registry formats = export_formats();
  const formats::Format* const format = formats.find(lower(words.value("--export")));
  if (format == nullptr)
    return unknown("format", words.value("--export"), "--export", export_words());
  if (!words.has("--output")) {
    return Error{.what = "needs a file to write",
                 .where = "--export",
                 .hint = "give -o FILE, or -o - for stdout"};
  }
  options.format = *format;
  options.reports.clear();
  return {};
}

/// Rows are numbered in two ways: with copies and sets, and without.
Status choose_idx(std::string_view flag, const OptionWords& words, Options& options,
                  std::optional<std::uint64_t>& to) {
  static constexpr std::array<std::string_view, 2> kReports = {"kernels", "gpu"};
  const std::string_view report = options.reports.front().report->info().name;
  if (options.reports.size() > 1 || std::ranges::find(kReports, report) == kReports.end()) {
    return clash(flag, "-r " + words.value("--report"),
                 "it takes the idx of one of " + list_of(kReports));
  }
  const auto idx = parse_count(words.value(flag), flag, "the idx of a kernel",
                               fmt::format("give a number, as in {} 12", flag));
  if (!idx) return idx.error();
  to = *idx;
  options.filter.with_copies = report == "gpu";
  return {};
}

/// One line of one report.
Status choose_line(const OptionWords& words, Options& options) {
  if (options.reports.size() > 1) {
    return clash("--show", "-r " + words.value("--report"), "it takes a line of one report");
  }
  const auto line = parse_count(words.value("--show"), "--show", "the number of a line",
                                "give a number from 1, as in --show 2");
  if (!line) return line.error();
  options.show = *line;
  return {};
}

}  // namespace

Status choose_reports(const OptionWords& words, const Registry& registry, Options& options) {
  for (const std::string& word : tools::split_list(words.value("--report"))) {
    const std::string name = lower(word);
    const auto list = std::ranges::find(report_lists(), name, &ReportList::name);
    if (list == report_lists().end()) {
      PROF_TRY(choose_report(name, word, registry, options));
      continue;
    }
    for (const std::string_view one : list->reports) {
      PROF_TRY(choose_report(one, word, registry, options));
    }
  }
  return {};
}

Status choose_form(const OptionWords& words, Options& options) {
  if (!words.has("--format") && !words.has("--export")) {
    const std::string extension =
        lower(std::filesystem::path(words.value("--output")).extension().string());
    for (const FormInfo& form : forms()) {
      if (extension == std::string(".").append(form.extension)) options.form = &form;
    }
    if (options.form != nullptr) return {};
  }
  const auto found = std::ranges::find(forms(), lower(words.value("--format")), &FormInfo::word);
  if (found == forms().end()) return unknown("format", words.value("--format"), "-f", form_names());
  options.form = &*found;
  return {};
}

Status choose_instead(const OptionWords& words, Options& options) {
  if (words.has("--sql")) {
    options.sql = words.value("--sql");
    options.reports.clear();
  }
  if (words.has("--export")) PROF_TRY(choose_export(words, options));
  if (words.has("--html")) {
    const std::string& page = words.value("--html");
    if (page.empty() || page == "-") {
      return Error{.what = "a page needs the name of a file", .where = "--html", .hint = ""};
    }
    options.page = page;
    options.reports.clear();
  }
  if (words.has("--ncu")) {
    PROF_TRY(choose_idx("--ncu", words, options, options.ncu_idx));
  }
  if (words.has("--show")) PROF_TRY(choose_line(words, options));
  if (!words.has("--explain")) return {};
  const Form form = options.form->form;
  if (form != Form::kTable && form != Form::kJson && form != Form::kJsonLines) {
    return clash("--explain", flag_of(*options.form), "its forms are table, json and jsonl");
  }
  return choose_idx("--explain", words, options, options.explain_idx);
}

Status choose_jobs(const OptionWords& words, Options& options) {
  // Each has its tables of ranges and texts in memory.
  constexpr unsigned kMost = 8;
  options.jobs = std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
  if (!words.has("--jobs")) return {};
  const auto jobs = parse_count(words.value("--jobs"), "--jobs", "a number of threads", "give 4");
  if (!jobs) return jobs.error();
  options.jobs = std::min<std::uint64_t>(*jobs, 256);
  return {};
}

Status choose_output(const OptionWords& words, Options& options) {
  const std::string& path = words.value("--output");
  const bool has_path = words.has("--output") && path != "-";
  if (has_path) options.output = path;
  const std::size_t count = options.reports.size();
  if (count < 2 || options.form->holds_several()) return {};
  if (!has_path && !is_for_people(options.form->form)) {
    return Error{.what = fmt::format("{} reports need a file each", count),
                 .where = flag_of(*options.form),
                 .hint = "give a folder for them: -o DIR/"};
  }
  if (has_path && !tools::can_be_folder(path)) {
    return Error{
        .what = fmt::format("'{}' names a file, and {} reports need one each", path, count),
        .where = "-o",
        .hint = "give a folder for them: -o DIR/"};
  }
  return {};
}

}  // namespace prof::reports
