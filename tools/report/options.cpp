// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line, see options.hpp. What its words mean is decided here, because CLI11's
// own checks do not name the valid values in one line.
#include "tools/report/options.hpp"
#include "tools/report/compat/nsys_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>

#include "tools/common/command_line.hpp"
#include "tools/common/nearest.hpp"
#include "tools/common/result_file.hpp"
#include "tools/common/words.hpp"
#include "tools/report/completion.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/input_traces.hpp"
#include "tools/report/listing.hpp"
#include "tools/report/option_values.hpp"

namespace prof::reports {
namespace {

constexpr const char* kBrief =
    "Shows which layer, op, direction and shape launched every GPU kernel of a trace.";
constexpr const char* kExitCodes =
    "0 success, 1 cannot read the trace or write the output, 2 usage error, 3 --fail-above.";

bool has_any(const ReportInfo& info, std::span<const std::string_view> words) {
  return std::ranges::find_first_of(info.row_words, words) != info.row_words.end();
}
bool has_captures(const ReportInfo& info) {
  static constexpr std::array<std::string_view, 1> kCapture = {"capture"};
  return has_any(info, kCapture);
}
/// It shows ranges, or the ranges around its rows.
bool has_range_texts(const ReportInfo& info) {
  static constexpr std::array<std::string_view, 1> kName = {"name"};
  const bool shows = std::ranges::find(info.columns, "range", &Column::word) != info.columns.end();
  return info.has_ranges && (shows || has_any(info, kName));
}

/// The words of the command line.
class ReportOptions {
 public:
  explicit ReportOptions(const Registry& registry)
      : registry_(registry),
        reports_(registry.all().front()->info().name),
        form_(forms().front().word) {
    register_builtin(exports_);
    define();
  }

  Result<Options> parse(int argc, const char* const* argv);
  [[nodiscard]] tools::Manual manual() const;

 private:
  void define();
  [[nodiscard]] bool given(const std::string& option) const { return line_.given(option); }
  [[nodiscard]] Result<std::string> listing() const;

  /// As an error names it, wherever it comes from.
  [[nodiscard]] static std::string flag_of(const FormInfo& form) {
    return std::string("-f ").append(form.word);
  }

  Status choose_reports(Options& options) const;
  Status choose_report(std::string_view name, const std::string& word, Options& options) const;
  Status choose_form(Options& options) const;
  Status choose_rows(Options& options) const;
  Status choose_kinds(ColumnFilter& column, RowFilter& filter) const;
  Status check_rows(const Options& options) const;
  Status check_all(const Options& options, std::string_view flag, std::string_view what,
                   const std::function<bool(const ReportInfo&)>& applies) const;
  Status choose_columns_of(ReportRequest& request, const Options& options) const;
  Status group_by(ReportRequest& request, Form form) const;
  Status choose_lines(ReportRequest& request) const;
  Status choose_layers(Options& options) const;
  Status check_alone(const Options& options) const;
  Status choose_output(Options& options) const;
  Status choose_export(Options& options) const;
  Status choose_ncu(Options& options) const;
  Status check_none_but(std::string_view flag, std::span<const std::string_view> others) const;

  const Registry& registry_;
  formats::Registry exports_;
  tools::CommandLine line_{"prof-report", kBrief};
  Options options_;
  std::string reports_, form_, columns_, by_, sql_, sort_, top_, depth_, output_, export_, ncu_,
      fail_above_, list_;
  std::map<std::string_view, std::vector<std::string>> filters_;  // by flag
  std::vector<std::string> named_, ranges_, where_, steps_, captures_, base_, new_;
  bool flat_ = false;
};

void ReportOptions::define() {
  line_.help_column(26);
  line_.leaves_unknown_options();
  line_.arguments("trace", options_.traces,
                  "traces (trace.db), or folders of them; several are combined");
  line_.values(
      {"-r,--report", "NAMES",
       "reports, separated by ','; see --list (" + reports_ + "); nsys: those of nsys stats"},
      named_);
  line_.value({"-f,--format", "NAME", "form: " + list_of(form_names()) + " (" + form_ + ")"},
              form_);
  line_.value({"-o,--output", "PATH", "file to write, -: stdout; DIR/ for a file of each report"},
              output_);
  line_.value({"-c,--columns", "WORDS", "columns to show, separated by ','; see --list"}, columns_);
  line_.value({"--by", "WORDS", "columns that a roll-up groups by, separated by ','"}, by_);
  line_.values({"--where", "CONDITION", "only lines for which this holds: 'time_us > 100'"},
               where_);
  line_.value({"--sort", "COLUMN", "order of the lines: a column, largest first, or COLUMN:asc"},
              sort_);
  line_.value({"--top", "N", "only the first N lines"}, top_);
  line_.value({"--depth", "N", "layers as a tree of N levels (tables of roll-ups)"}, depth_);
  line_.flag("--flat", flat_, "do not add up numbered layers (h.0, h.1, ...) in tables");
  line_.value({"--sql", "SELECT", "print the result of this SELECT; tables: docs/sql.md"}, sql_);
  line_.value(
      {"--export", "FORMAT", "write a file for other programs: " + list_of(export_words(exports_))},
      export_);
  line_.value(
      {"--ncu", "IDX", "print the command line of Nsight Compute that measures kernel IDX again"},
      ncu_);
  line_.list({"--base", "TRACES", "the traces that -r diff compares with"}, base_);
  line_.list({"--new", "TRACES", "the traces that -r diff compares"}, new_);
  line_.value(
      {"--fail-above", "PERCENT", "with -r diff: exit code 3 if the period is longer by more: 5%"},
      fail_above_);
  line_.values(
      {"--step", "N|A-B|last", "only what was launched in step N, steps A-B or the last step"},
      steps_);
  line_.values(
      {"--capture", "N|A-B|last", "only what is in capture N, captures A-B or the last capture"},
      captures_);
  for (const FilterOption& filter : filter_options()) {
    line_.values({std::string(filter.flag), std::string(filter.type), std::string(filter.help)},
                 filters_[filter.flag]);
  }
  line_.values({"--range", "[DOMAIN:]GLOB", "only what is inside of NVTX ranges of these texts"},
               ranges_);
  line_.flag(
      "--short-ranges", [this] { options_.short_ranges = true; },
      "ranges by name, without the numbers, sizes and attributes in their texts; the default, but "
      "not where a report prints what another tool does");
  line_.flag(
      "--whole-ranges", [this] { options_.short_ranges = false; }, "ranges by all of their texts");
  line_.values({"--domain", "NAME", "also read ranges of this NVTX domain as layers"},
               options_.range_options.domains);
  line_.flag("--process-ranges", options_.range_options.process_ranges,
             "ranges of the process (nvtxRangeStart) name the layers of what has none");
  line_.values({"--step-range", "[DOMAIN:]GLOB", "NVTX ranges of these texts are the steps"},
               options_.range_options.steps);
  line_.flag("--save", options_.save, "save the attribution in the trace, for SQL; no report");
  line_.optional_value({"--list", "[NAME]", "list reports and SQL tables, or the columns of one"},
                       list_);
  line_.version("prof-report " PROF_VERSION_STRING, "show the version");
  line_.footer(
      "Options that choose rows may be repeated: a row needs to match one of each kind.\n"
      "Notes and warnings follow a table; with csv and json they go to stderr.\n"
      "Exit codes: " +
      std::string(kExitCodes));
}

tools::Manual ReportOptions::manual() const {
  return {.program = line_.program(),
          .brief = kBrief,
          .arguments = "[OPTIONS] trace.db...",
          .argument = tools::Values::file("*.db"),
          .options = line_.manual_options(option_values(registry_)),
          .sections = {report_section(registry_),
                       {"EXIT STATUS", {{kExitCodes, ""}}},
                       tools::see_also("prof-run(1), prof-import(1)")}};
}

Result<Options> ReportOptions::parse(int argc, const char* const* argv) {
  const auto parsed = line_.parse(argc, argv);
  if (parsed.answer) {
    options_.answer = *parsed.answer;
    return options_;
  }
  if (parsed.mistake) {
    return Error{.what = *parsed.mistake, .where = "", .hint = "see prof-report --help"};
  }
  if (const auto extra = line_.rest(); !extra.empty()) return line_.unknown_option(extra.front());
  if (!named_.empty()) reports_ = fmt::format("{}", fmt::join(named_, ","));

  PROF_TRY(choose_reports(options_));
  PROF_TRY(choose_form(options_));
  if (given("--list")) {
    Result<std::string> list = listing();
    if (!list) return list.error();
    options_.answer = *std::move(list);
    return options_;
  }
  PROF_TRY(check_alone(options_));
  PROF_TRY(choose_rows(options_));
  PROF_TRY(choose_layers(options_));
  if (given("--sql")) {
    options_.sql = sql_;
    options_.reports.clear();
  }
  PROF_TRY(choose_export(options_));
  PROF_TRY(choose_ncu(options_));
  PROF_TRY(check_rows(options_));
  const bool may_fail = given("--fail-above");
  PROF_TRY(
      choose_traces({base_, new_, may_fail ? std::optional(fail_above_) : std::nullopt}, options_));
  for (ReportRequest& request : options_.reports) {
    PROF_TRY(choose_columns_of(request, options_));
    PROF_TRY(choose_lines(request));
  }
  options_.columns_chosen = given("--columns");
  PROF_TRY(choose_output(options_));
  if (options_.traces.empty()) {
    return Error{.what = "no trace file given",
                 .where = "",
                 .hint = "usage: prof-report [OPTIONS] trace.db..., see prof-report --help"};
  }
  return options_;
}

/// Of what --list or else -r names.
Result<std::string> ReportOptions::listing() const {
  const std::string& names = list_.empty() && given("--report") ? reports_ : list_;
  const Result<Listed> listed = find_listed(registry_, names);
  if (!listed) return listed.error();
  if (options_.form->form == Form::kJson) return list_as_json(*listed);
  return names.empty() ? list_names(registry_) : list_columns(*listed);
}

Status ReportOptions::choose_reports(Options& options) const {
  for (const std::string& word : tools::split_list(reports_)) {
    const std::string name = tools::lower(word);
    const auto list = std::ranges::find(report_lists(), name, &ReportList::name);
    if (list == report_lists().end()) {
      PROF_TRY(choose_report(name, word, options));
    } else {
      for (const std::string_view one : list->reports) PROF_TRY(choose_report(one, word, options));
    }
  }
  return {};
}

Status ReportOptions::choose_report(std::string_view name, const std::string& word,
                                    Options& options) const {
  const Report* report = registry_.find(name);
  if (report == nullptr) {
    std::vector<std::string_view> names = report_names(registry_);
    for (const ReportList& list : report_lists()) names.push_back(list.name);
    const std::string near = tools::did_you_mean(word, names);
    return Error{.what = "unknown report '" + word + "'",
                 .where = "-r",
                 .hint = near.empty() ? "prof-report --list shows all" : near};
  }
  const bool twice = std::ranges::any_of(
      options.reports, [report](const auto& other) { return other.report == report; });
  if (twice) {
    return Error{.what = std::string("report '").append(name).append("' is given twice"),
                 .where = "-r",
                 .hint = ""};
  }
  options.reports.push_back({report, {}, {}});
  return {};
}

/// Without -f it is that of a file's name: -o x.csv.
Status ReportOptions::choose_form(Options& options) const {
  if (!given("--format") && !given("--export")) {
    const std::string extension = tools::lower(std::filesystem::path(output_).extension().string());
    for (const FormInfo& form : forms()) {
      if (extension == std::string(".").append(form.extension)) options.form = &form;
    }
    if (options.form != nullptr) return {};
  }
  const auto found = std::ranges::find(forms(), tools::lower(form_), &FormInfo::word);
  if (found == forms().end()) return unknown("format", form_, "-f", form_names());
  options.form = &*found;
  return {};
}

/// An export is no report, and has rows of every kind.
Status ReportOptions::choose_export(Options& options) const {
  if (!given("--export")) return {};
  for (const char* option : {"--sql", "--report", "--format", "--columns", "--by", "--where",
                             "--sort", "--top", "--depth", "--flat"}) {
    if (given(option)) return clash(option, "--export");
  }
  const formats::Format* const format = exports_.find(tools::lower(export_));
  if (format == nullptr) return unknown("format", export_, "--export", export_words(exports_));
  if (!given("--output")) {
    return Error{.what = "needs a file to write",
                 .where = "--export",
                 .hint = "give -o FILE, or -o - for stdout"};
  }
  options.format = *format;
  options.reports.clear();
  return {};
}

/// Rows are numbered in two ways: with copies and sets, and without.
Status ReportOptions::choose_ncu(Options& options) const {
  if (!given("--ncu")) return {};
  static constexpr std::array<std::string_view, 2> kReports = {"kernels", "gpu"};
  const std::string_view report = options.reports.front().report->info().name;
  if (options.reports.size() > 1 || std::ranges::find(kReports, report) == kReports.end()) {
    return clash("--ncu", "-r " + reports_, "it takes the idx of one of " + list_of(kReports));
  }
  options.ncu_idx = tools::parse_number<std::uint64_t>(ncu_);
  if (options.ncu_idx.value_or(0) == 0) {
    return Error{.what = "'" + ncu_ + "' is not the idx of a kernel",
                 .where = "--ncu",
                 .hint = "give a number, as in --ncu 12"};
  }
  options.filter.with_copies = report == "gpu";
  return {};
}

Status ReportOptions::check_none_but(std::string_view flag,
                                     std::span<const std::string_view> others) const {
  for (const std::string& name : line_.given()) {
    const bool goes =
        name == "trace" || name == flag || std::ranges::find(others, name) != others.end();
    if (!goes) return clash(name, flag);
  }
  return {};
}

/// --save, --ncu and --sql are no reports.
Status ReportOptions::check_alone(const Options& options) const {
  if (options.save) {
    PROF_TRY(check_none_but("--save", std::array<std::string_view, 1>{"--domain"}));
  }
  if (given("--ncu")) {
    PROF_TRY(check_none_but("--ncu", std::array<std::string_view, 1>{"--report"}));
  }
  if (!given("--sql")) return {};
  for (const char* option :
       {"--report", "--columns", "--by", "--where", "--sort", "--top", "--depth", "--flat"}) {
    if (given(option)) return clash(option, "--sql", "express it in SQL");
  }
  return {};
}

Status ReportOptions::choose_rows(Options& options) const {
  RowFilter& filter = options.filter;
  if (given("--step")) {
    Result<StepFilter> step = parse_steps(steps_);
    if (!step) return step.error();
    filter.step = *step;
  }
  if (given("--capture")) {
    Result<StepFilter> captures = parse_captures(captures_);
    if (!captures) return captures.error();
    filter.captures = *captures;
  }
  for (const FilterOption& option : filter_options()) {
    const std::vector<std::string>& patterns = filters_.at(option.flag);
    if (patterns.empty()) continue;
    ColumnFilter column{&option, patterns};
    if (option.flag == "--kind") PROF_TRY(choose_kinds(column, filter));
    filter.columns.push_back(std::move(column));
  }
  filter.ranges = ranges_;
  filter.range_options = options.range_options;
  return {};
}

Status ReportOptions::choose_kinds(ColumnFilter& column, RowFilter& filter) const {
  std::vector<std::string> kinds;
  for (const std::string& words : column.patterns) {
    for (const std::string& word : tools::split_list(words)) {
      const bool is_known = std::ranges::find(work_kinds(), word) != work_kinds().end();
      if (!is_known) return unknown("kind", word, "--kind", work_kinds());
      filter.with_copies |= word != work_kinds().front();
      kinds.push_back(word);
    }
  }
  column.patterns = std::move(kinds);
  return {};
}

/// Each option about rows or layers must apply to each report.
Status ReportOptions::check_rows(const Options& options) const {
  const RowFilter& filter = options.filter;
  for (const char* flag : {"--depth", "--flat"}) {
    if (given(flag)) PROF_TRY(check_all(options, flag, "lines of layers", &ReportInfo::has_layers));
  }
  if (filter.step) PROF_TRY(check_all(options, "--step", "steps", &ReportInfo::has_steps));
  if (filter.captures) PROF_TRY(check_all(options, "--capture", "captures", has_captures));
  if (!filter.ranges.empty()) {
    PROF_TRY(check_all(options, "--range", "ranges around its rows", &ReportInfo::has_ranges));
  }
  for (const char* flag : {"--short-ranges", "--whole-ranges"}) {
    if (given(flag)) PROF_TRY(check_all(options, flag, "texts of ranges", has_range_texts));
  }
  if (given("--short-ranges") && given("--whole-ranges")) {
    return clash("--short-ranges", "--whole-ranges");
  }
  for (const ColumnFilter& by : filter.columns) {
    const auto column = fmt::format("column '{}'", by.option->columns.front());
    PROF_TRY(check_all(options, by.option->flag, column, [&by](const ReportInfo& info) {
      return has_any(info, by.option->columns);
    }));
  }
  return {};
}

/// An error for the first report to which the option does not apply.
Status ReportOptions::check_all(const Options& options, std::string_view flag,
                                std::string_view what,
                                const std::function<bool(const ReportInfo&)>& applies) const {
  for (const ReportRequest& request : options.reports) {
    const ReportInfo& info = request.report->info();
    if (applies(info)) continue;
    std::vector<std::string_view> others;
    for (const auto& report : registry_.all()) {
      if (applies(report->info())) others.push_back(report->info().name);
    }
    return Error{.what = fmt::format("report '{}' has no {}", info.name, what),
                 .where = std::string(flag),
                 .hint = "reports that have: " + list_of(others)};
  }
  return {};
}

/// The keys of --by come first. Of -c, other keys would make other groups.
Status ReportOptions::group_by(ReportRequest& request, Form form) const {
  const ReportInfo& info = request.report->info();
  if (info.keys.empty()) {
    return Error{.what = "report '" + std::string(info.name) + "' is not a roll-up",
                 .where = "--by",
                 .hint = "roll-ups are " + list_of(rollup_names(registry_))};
  }
  const auto is_key = [&info](std::size_t column) {
    return std::ranges::find(info.keys, column) != info.keys.end();
  };
  const auto keys = choose_columns(info, by_, "--by");
  if (!keys) return keys.error();
  for (const std::size_t key : *keys) {
    if (is_key(key)) continue;
    return Error{.what = "'" + std::string(info.columns[key].word) +
                         "' is computed for groups, which cannot be grouped by it",
                 .where = "--by",
                 .hint = ""};
  }
  if (!given("--columns")) {
    request.columns = columns_by(info, form, *keys);
    return {};
  }
  std::vector<std::size_t> columns;
  const auto is_shown = [&request](std::size_t column) {
    return std::ranges::find(request.columns, column) != request.columns.end();
  };
  std::ranges::copy_if(*keys, std::back_inserter(columns), std::not_fn(is_shown));
  for (const std::size_t column : request.columns) {
    if (is_key(column) && std::ranges::find(*keys, column) == keys->end()) {
      const std::string word(info.columns[column].word);
      return Error{.what = "'" + word + "' differs within the groups of --by",
                   .where = "-c",
                   .hint = "group by it: --by " + by_ + "," + word};
    }
    columns.push_back(column);
  }
  request.columns = std::move(columns);
  return {};
}

Status ReportOptions::choose_columns_of(ReportRequest& request, const Options& options) const {
  const ReportInfo& info = request.report->info();
  const Form form = options.form->form;
  request.columns = info.shown(form, options.traces.size() > 1);
  if (given("--columns")) {
    if (options.reports.size() > 1) return clash("--columns", "several reports");
    auto chosen = choose_columns(info, columns_);
    if (!chosen) return chosen.error();
    request.columns = *std::move(chosen);
  }
  if (given("--by")) PROF_TRY(group_by(request, form));
  // The number of copies belongs to what --kind asks for.
  const auto copies = std::ranges::find(info.columns, "copies", &Column::word);
  if (options.filter.with_copies && copies != info.columns.end() && !given("--columns")) {
    const auto index = static_cast<std::size_t>(copies - info.columns.begin());
    const auto kernels = std::ranges::find_if(request.columns, [&](std::size_t column) {
      return info.columns[column].word == "kernels";
    });
    const bool there = std::ranges::find(request.columns, index) != request.columns.end();
    if (kernels != request.columns.end() && !there) request.columns.insert(kernels + 1, index);
  }
  return {};
}

Status ReportOptions::choose_lines(ReportRequest& request) const {
  const ReportInfo& info = request.report->info();
  LineOptions& lines = request.lines;
  lines.where = where_;
  if (!where_.empty()) {
    if (const auto where = Where::make(where_, info.columns); !where) return where.error();
  }
  if (given("--sort")) {
    const std::size_t colon = sort_.find(':');
    const std::string order = colon == std::string::npos ? "desc" : sort_.substr(colon + 1);
    if (order != "asc" && order != "desc") {
      return Error{.what = "unknown order '" + order + "'",
                   .where = "--sort",
                   .hint = "orders are asc and desc"};
    }
    const auto column = choose_columns(info, sort_.substr(0, colon), "--sort");
    if (!column) return column.error();
    if (column->size() != 1) {
      return Error{.what = "takes one column", .where = "--sort", .hint = ""};
    }
    lines.sort = column->front();
    lines.ascending = order == "asc";
  }
  if (given("--top")) {
    lines.top = tools::parse_number<std::uint64_t>(top_);
    if (lines.top.value_or(0) == 0) {
      return Error{
          .what = "'" + top_ + "' is not a number of lines", .where = "--top", .hint = "give 10"};
    }
  }
  // A key that is not shown would make other groups.
  if (info.keys.empty()) return {};
  std::vector<std::size_t> named;
  if (lines.sort) named.push_back(*lines.sort);
  for (const std::string& condition : where_) {
    const auto used = columns_in(condition, info.columns);
    named.insert(named.end(), used.begin(), used.end());
  }
  for (const std::size_t index : named) {
    const bool is_key = std::ranges::find(info.keys, index) != info.keys.end();
    const bool shown = std::ranges::find(request.columns, index) != request.columns.end();
    if (!is_key || shown) continue;
    const std::string word(info.columns[index].word);
    return Error{.what = "the lines of '" + std::string(info.name) + "' have no '" + word + "'",
                 .where = lines.sort == index ? "--sort" : "--where",
                 .hint = "group by it: --by ..., " + word};
  }
  return {};
}

Status ReportOptions::choose_layers(Options& options) const {
  const bool for_people = is_for_people(options.form->form);
  options.layers.fold_numbers = for_people && !flat_;
  if (!given("--depth")) return {};
  options.layers.depth = tools::parse_number<std::size_t>(depth_);
  if (options.layers.depth.value_or(0) == 0) {
    return Error{
        .what = "'" + depth_ + "' is not a number of levels", .where = "--depth", .hint = "give 2"};
  }
  for (const char* option : {"--sort", "--where", "--top"}) {
    if (given(option)) return clash(option, "--depth", "a tree has an order of its own");
  }
  if (!for_people) return clash("--depth", flag_of(*options.form), "only tables show trees");
  return {};
}

Status ReportOptions::choose_output(Options& options) const {
  const bool has_path = given("--output") && output_ != "-";
  if (has_path) options.output = output_;
  if (options.reports.size() < 2) return {};
  const bool for_people = is_for_people(options.form->form);
  if (!for_people && !has_path) {
    return Error{.what = fmt::format("{} reports need a file each", options.reports.size()),
                 .where = flag_of(*options.form),
                 .hint = "give a folder for them: -o DIR/"};
  }
  if (has_path && !tools::can_be_folder(output_)) {
    return Error{.what = fmt::format("'{}' names a file, and {} reports need one each", output_,
                                     options.reports.size()),
                 .where = "-o",
                 .hint = "give a folder for them: -o DIR/"};
  }
  return {};
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv, const Registry& registry) {
  // "prof-report help ops".
  if (argc == 3 && std::string_view(argv[1]) == "help" && !std::filesystem::exists(argv[1])) {
    const char* const list[] = {argv[0], "--list", argv[2]};
    return ReportOptions(registry).parse(3, list);
  }
  return ReportOptions(registry).parse(argc, argv);
}

tools::Manual manual(const Registry& registry) { return ReportOptions(registry).manual(); }

}  // namespace prof::reports
