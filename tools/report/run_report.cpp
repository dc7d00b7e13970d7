// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of prof-report, see run_report.hpp. Notes and warnings follow a table, because the end
// stays on the screen; with machine forms they go to stderr. If a table goes to a file or a pipe,
// its warnings also go to stderr: nobody may be looking at the file.
#include "tools/report/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/common/pager.hpp"
#include "tools/common/result_file.hpp"
#include "tools/common/unicode.hpp"
#include "tools/common/words.hpp"
#include "tools/report/columns/columns_document.hpp"
#include "tools/report/filter/gpu_filter.hpp"
#include "tools/report/query/query.hpp"
#include "tools/report/query/row_tables.hpp"
#include "tools/report/ranks/find_rank_waits.hpp"
#include "tools/report/ranks/shown_ranks.hpp"
#include "tools/report/rows/notes.hpp"
#include "tools/report/rows/reading.hpp"
#include "tools/report/step_lines.hpp"
#include "tools/report/table/note_text.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kProgram = "prof-report";

void print_notes(const Notes& notes, Form form, const tools::Streams& streams,
                 tools::Output& output) {
  if (is_for_people(form)) {
    write_notes(notes, form, streams.out_styles, streams.out_width, output);
    if (streams.err_shows_out) return;
  } else {
    for (const std::string& fact : notes.facts) tools::print_error(streams.err, kProgram, fact);
  }
  for (const std::string& warning : notes.warnings) {
    tools::print_error(streams.err, kProgram, "warning: " + warning);
  }
}

/// The error of the first trace whose look-ups failed.
Status status_of(const TraceSet& traces) {
  for (const TraceMember& trace : traces.members()) PROF_TRY(trace.reader.status());
  return {};
}

std::string heading(const ReportInfo& info, Form form) {
  std::string title(info.title.empty() ? info.help : info.title);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  if (form == Form::kMarkdown) return fmt::format("## {} ({})\n\n", title, info.name);
  return fmt::format(" ** {} ({}):\n\n", title, info.name);
}

/// There were rows among which the options chose.
bool asked_of_rows(const FilterTally& tally) {
  return tally.ranges.asked || !tally.steps.empty() ||
         std::ranges::any_of(tally.columns, &FilterTally::OfFilter::asked);
}

/// The data that the reports read, and how often.
struct Needs {
  std::size_t reads_work = 0;
  bool reads_timeline = false;

  explicit Needs(const Options& options) {
    if (options.sql) add(facts_of_tables(*options.sql));
    for (const ReportRequest& request : options.reports) add(request.report->info());
    if (options.filter.step && options.filter.step->with_last) ++reads_work;
  }
  [[nodiscard]] Reading::Keeps keeps(std::size_t reports, std::size_t traces) const {
    if (reads_timeline && reports > 1) return Reading::Keeps::kTimelines;
    // The work of a few ranks is read once more for what they wait for.
    const bool has_ranks = traces > 1 && traces <= Reading::kMostKept;
    return reads_work + (has_ranks ? 1 : 0) > 1 ? Reading::Keeps::kWork : Reading::Keeps::kNothing;
  }

 private:
  template <typename Facts>
  void add(const Facts& facts) {
    reads_work += facts.reads_work;
    reads_timeline = reads_timeline || facts.reads_timeline;
  }
};

/// One run over the traces: all that is asked for, and what is to be said about it.
class Run {
 public:
  Run(const TraceSet& traces, const Options& options, const tools::Streams& streams)
      : traces_(traces),
        options_(options),
        streams_(streams),
        needs_(options),
        reading_(attribute_by_analyzers(options.range_options),
                 needs_.keeps(options.reports.size(), traces.size()), traces.size(),
                 streams.progress),
        find_waits_(find_rank_waits(traces, reading_, options.base_traces)) {
    if (needs_.reads_work > 0) reading_.read_ahead(traces, options.jobs, needs_.reads_timeline);
  }

  /// Everything to stdout.
  int to_stdout();
  /// The cells of a column with texts.
  Result<std::vector<std::string>> texts(std::string_view column);
  /// A file, or with several reports a folder with a file for each.
  int to_files();

 private:
  /// Reports, or the SQL if there are none.
  Status print_all(std::span<const ReportRequest> requests, const RenderOptions& render,
                   tools::Output& output);
  /// What is longer than the terminal goes to the pager, below `guide()`.
  void page(tools::Output& output, tools::Pager& pager) const;
  [[nodiscard]] std::string guide() const;
  Status print_document(std::span<const ReportRequest> requests, tools::Output& output);
  /// One report, or the SQL if `request` is null.
  Status print_one(const ReportRequest* request, Renderer& renderer, tools::Output& output);
  Status print_report(const RowInput& input, const ReportRequest& request, Renderer& renderer,
                      const tools::Output& output);
  /// Chooses a few of many ranks, unless the user chooses ranks or lines.
  Status choose_ranks(const ReportRequest& request, RowFilter& filter, Tally& tally) const;
  [[nodiscard]] bool is_folder() const;
  Result<std::string> path_of(std::span<const ReportRequest> requests) const;
  Status write_file(std::span<const ReportRequest> requests);
  [[nodiscard]] int judge_limit(int code) const;
  void finish_progress() const {
    if (streams_.progress != nullptr) streams_.progress->finish();
  }
  [[nodiscard]] int fail(const Error& error) const {
    tools::print_error(streams_.err, kProgram, error.to_line());
    return tools::kFailed;
  }

  const TraceSet& traces_;
  const Options& options_;
  const tools::Streams& streams_;
  const Needs needs_;
  Reading reading_;
  FindRankWaits find_waits_;
  Notes notes_;
  std::vector<std::string> step_lines_;
  std::optional<LimitVerdict> limit_;  ///< Absent: nothing was compared.
};

Status Run::print_report(const RowInput& input, const ReportRequest& request, Renderer& renderer,
                         const tools::Output& output) {
  const ReportInfo& info = request.report->info();
  const auto lines = LineFilter::make(request.lines, info.columns, request.columns, renderer);
  if (!lines) return lines.error();
  std::vector<Column> columns;
  for (const std::size_t index : request.columns) columns.push_back(info.columns[index]);
  renderer.begin(columns);
  const Request asked{.columns = (*lines)->columns(),
                      .layers = options_.layers,
                      .base_traces = options_.base_traces,
                      .for_people = is_for_people(options_.form->form),
                      .lines_chosen = !request.lines.all(),
                      .limit_pct = options_.fail_above_pct};
  std::optional<StepLines> steps;
  if (info.has_step_lines && is_for_people(options_.form->form) &&
      chooses_whole_gpus(input.filter)) {
    steps.emplace(input);
  }
  Status status = request.report->run(input, asked, **lines);
  if (steps) {
    step_lines_ = steps->lines();
    std::ranges::copy(step_lines_, std::back_inserter(input.tally.remarks));
  }
  if (status) status = (*lines)->finish();
  const std::uint64_t hidden = (*lines)->made() - (*lines)->printed();
  if (hidden > 0) {
    notes_.facts.push_back(fmt::format("{}: {} of {} not shown", info.name, grouped(hidden),
                                       count_text((*lines)->made(), "line", "lines")));
  }
  if (status && (*lines)->made() == 0 && !info.missing.empty()) {
    // It is an answer that an option leaves out all rows.
    const bool leaves_out = asked_of_rows(input.tally.filter) && !input.filter.all();
    notes_.facts.push_back(fmt::format(
        "{}: {}{}", info.name, leaves_out ? "in what the options choose, " : "", info.missing));
    if (!leaves_out) renderer.no_rows(info.missing);
  }
  if (output.error() == 0) renderer.end(status.ok());
  return status;
}

Status Run::choose_ranks(const ReportRequest& request, RowFilter& filter, Tally& tally) const {
  const bool may_leave_out = request.report->info().has_each_gpu && request.lines.all() &&
                             is_for_people(options_.form->form);
  if (!may_leave_out || chooses_gpus(filter)) return {};
  Result<std::optional<ShownRanks>> shown = shown_ranks(traces_, find_waits_);
  if (!shown) return shown.error();
  if (!*shown) return {};
  filter.columns.push_back(std::move((*shown)->filter));
  tally.remarks.push_back(std::move((*shown)->remark));
  return {};
}

Status Run::print_one(const ReportRequest* request, Renderer& renderer, tools::Output& output) {
  Tally tally;
  RowFilter filter = options_.filter;
  filter.short_ranges = options_.short_ranges.value_or(request != nullptr &&
                                                       !request->report->info().has_whole_ranges);
  if (request != nullptr) PROF_TRY(choose_ranks(*request, filter, tally));
  const RowInput input{traces_, reading_, filter, tally, find_waits_};
  Status status = request == nullptr
                      ? print_query(input, *options_.sql, options_.form->form, renderer)
                      : print_report(input, *request, renderer, output);
  if (status && output.error() == 0) add_notes(make_notes(traces_, filter, tally), notes_);
  if (request != nullptr && request->report->info().is_comparison) limit_ = tally.limit;
  return status;
}

Status Run::print_all(std::span<const ReportRequest> requests, const RenderOptions& render,
                      tools::Output& output) {
  if (options_.form->holds_several()) return print_document(requests, output);
  if (requests.empty()) return print_one(nullptr, *options_.form->make(output, render), output);
  const bool several = requests.size() > 1;
  for (const ReportRequest& request : requests) {
    if (several && &request != &requests.front()) output.write("\n");
    if (several) output.write(heading(request.report->info(), options_.form->form));
    PROF_TRY(print_one(&request, *options_.form->make(output, render), output));
    if (output.error() != 0) return {};
  }
  return {};
}

Status Run::print_document(std::span<const ReportRequest> requests, tools::Output& output) {
  ColumnsDocument document(traces_, output);
  if (requests.empty()) {
    const ReportInfo info{.name = "sql", .help = "result of a SELECT", .rows = "SQL"};
    const auto renderer = document.table({.name = info.name, .report = info, .columns = {}});
    PROF_TRY(print_one(nullptr, *renderer, output));
  }
  for (const ReportRequest& request : requests) {
    const ReportInfo& info = request.report->info();
    const auto renderer =
        document.table({.name = info.name, .report = info, .columns = request.columns});
    PROF_TRY(print_one(&request, *renderer, output));
  }
  PROF_TRY(status_of(traces_));
  document.end(notes_);
  return {};
}

std::string Run::guide() const {
  constexpr std::size_t kMostTraces = 3;
  std::string text;
  if (options_.report_chosen || options_.sql) return text;
  for (std::string_view line : step_lines_) {
    while (!line.empty()) {
      text.append(tools::take_line(line, *streams_.out_width)).append("\n");
    }
  }
  std::string traces;
  for (const std::string& path : options_.traces) {
    traces += " " + (options_.traces.size() > kMostTraces ? "..." : tools::shell_word(path));
    if (options_.traces.size() > kMostTraces) break;
  }
  for (const auto& [report, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"summary", "the step on one screen"},
           {"advice", "what to change, and what that gains"},
           {"layers", "time by layer"}}) {
    const std::string command = fmt::format("prof-report -r {}{}", report, traces);
    text += fmt::format("{:<{}}  {}\n", command, 23 + traces.size(), what);
  }
  return text + "\n";
}

void Run::page(tools::Output& output, tools::Pager& pager) const {
  if (tools::rows_of(output.buffer(), *streams_.out_width) < *streams_.out_height) return;
  std::FILE* const stream = pager.start();
  if (stream == nullptr) return;
  output.buffer().insert(0, guide());
  output.redirect(stream);
}

int Run::to_stdout() {
  constexpr std::size_t kHeld = std::size_t{8} << 20;  // of what is paged: then its steps are known
  tools::Pager pager;
  tools::Output output(streams_.out);
  const bool may_page =
      streams_.out_width && streams_.out_height && is_for_people(options_.form->form);
  if (may_page) output.hold(kHeld);
  output.before_write([&, is_first = true]() mutable {
    if (!streams_.out_is_file) finish_progress();
    if (may_page && std::exchange(is_first, false)) page(output, pager);
  });
  const RenderOptions render{.width = streams_.out_width,
                             .keep_columns = options_.columns_chosen,
                             .styles = streams_.out_styles};
  Status status = print_all(options_.reports, render, output);
  finish_progress();
  if (output.error() != 0) {
    pager.close();
    return judge_limit(tools::exit_code(output.error(), streams_.err, kProgram));
  }
  if (status) status = status_of(traces_);
  if (!status) {
    output.flush();
    pager.close();
    return fail(status.error());
  }
  print_notes(notes_, options_.form->form, streams_, output);
  output.flush();
  pager.close();
  return judge_limit(tools::exit_code(output.error(), streams_.err, kProgram));
}

class TextsOfColumn final : public Renderer {
 public:
  void begin(std::span<const Column>) override {}
  bool row(std::span<const Cell> cells) override {
    texts.emplace_back(std::get<std::string_view>(cells.front()));
    return true;
  }
  void total(std::span<const Cell>) override {}
  void end(bool) override {}

  std::vector<std::string> texts;
};

Result<std::vector<std::string>> Run::texts(std::string_view column) {
  ReportRequest request = options_.reports.front();
  const std::vector<Column>& columns = request.report->info().columns;
  const auto found = std::ranges::find(columns, column, &Column::word);
  request.columns = {static_cast<std::size_t>(found - columns.begin())};
  TextsOfColumn renderer;
  tools::Output unused(streams_.out);
  PROF_TRY(print_one(&request, renderer, unused));
  finish_progress();
  PROF_TRY(status_of(traces_));
  return std::move(renderer.texts);
}

/// --fail-above. What is unknown is a failure, too: who asks relies on the answer.
int Run::judge_limit(int code) const {
  if (!options_.fail_above_pct || code != tools::kDone) return code;
  if (!limit_) {
    return fail({.what = "not decided: the reader of the output went away before",
                 .where = "--fail-above",
                 .hint = "write the report to a file with -o"});
  }
  switch (limit_->kind) {
    case LimitVerdict::Kind::kWithin:
      return code;
    case LimitVerdict::Kind::kExceeded:
      tools::print_error(streams_.err, kProgram,
                         fmt::format("--fail-above: the step's period is {:.1f} % longer, and {} % "
                                     "are allowed",
                                     limit_->change_pct, *options_.fail_above_pct));
      return tools::kWorse;
    case LimitVerdict::Kind::kUndecided:
      break;
  }
  tools::print_error(streams_.err, kProgram,
                     fmt::format("--fail-above: whether the step's period is more than {} % longer "
                                 "cannot be decided; {}",
                                 *options_.fail_above_pct, limit_->why));
  return tools::kUndecided;
}

bool Run::is_folder() const {
  const bool has_many = options_.reports.size() > 1 && !options_.form->holds_several();
  return has_many || tools::names_folder(*options_.output);
}

Result<std::string> Run::path_of(std::span<const ReportRequest> requests) const {
  if (!is_folder()) return *options_.output;
  const std::string_view name = requests.empty() ? "sql" : requests[0].report->info().name;
  return tools::file_in_folder(*options_.output, name, options_.form->extension);
}

Status Run::write_file(std::span<const ReportRequest> requests) {
  const Result<std::string> path = path_of(requests);
  if (!path) return path.error();
  for (const std::string& trace : options_.traces) {
    if (!tools::same_file(*path, trace)) continue;
    return Error{.what = "is the trace itself", .where = *path, .hint = "give -o another name"};
  }
  Result<tools::ResultFile> file = tools::ResultFile::create(*path);
  if (!file) return file.error();
  tools::Output output(file->stream());
  Notes of_others = std::exchange(notes_, {});
  PROF_TRY(print_all(requests, {.width = {}, .keep_columns = true, .styles = {}}, output));
  // Who is given the file sees what the table leaves out, too.
  const Form form = options_.form->form;
  if (is_for_people(form)) write_notes(notes_, form, {}, {}, output);
  const Notes own = std::exchange(notes_, std::move(of_others));
  add_notes(own, notes_);
  output.flush();
  return file->finish(output.error());
}

int Run::to_files() {
  const std::span<const ReportRequest> requests = options_.reports;
  const std::size_t of_each = is_folder() && !requests.empty() ? 1 : requests.size();
  std::size_t written = 0;
  Status status;
  do {
    status = write_file(requests.subspan(written, of_each));
    written += of_each;
  } while (status && written < requests.size());
  finish_progress();
  if (status) status = status_of(traces_);
  if (!status) return fail(status.error());
  tools::Output output(streams_.out);
  print_notes(notes_, Form::kCsv, streams_, output);
  return judge_limit(tools::kDone);
}

}  // namespace

Result<std::vector<std::string>> texts_of(const TraceSet& traces, const Options& options,
                                          std::string_view column, const tools::Streams& streams) {
  return Run(traces, options, streams).texts(column);
}

int run_report(const TraceSet& traces, const Options& options, const tools::Streams& streams) {
  Run run(traces, options, streams);
  return options.output ? run.to_files() : run.to_stdout();
}

}  // namespace prof::reports
