// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `nvprof`: what nvprof printed, for each trace: GPU activities and API calls, then the same
// for each NVTX range by thread, domain and text. docs/other_tools.md says what counts where.
#include <fmt/format.h>

#include <array>
#include <map>

#include "libprof/model/losses.hpp"
#include "tools/common/words.hpp"
#include "tools/report/compat/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/query/range_groups.hpp"
#include "tools/report/rows/api_calls.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

/// Facts that the lines of a trace have in common.
struct ProcessFacts {
  std::string trace;
  std::optional<std::uint32_t> rank;
  std::optional<std::int64_t> pid;
  std::string mark;  ///< "==4711== ", in front of each heading.
  std::string process_line, trace_line;
};

/// One line, and what stands above it.
struct NvprofLine {
  const ProcessFacts* process = nullptr;
  bool is_nvtx = false;
  std::optional<std::int64_t> thread, tid;
  std::string_view result_line, warning_line, thread_line, domain_line, range_line;
  std::string_view domain, range, type, name;
  const ActivitySum* sum = nullptr;
  std::int64_t all_ns = 0;  ///< Time of all lines of the type.
};

Cell whole(const std::optional<std::int64_t>& value) {
  return value ? signed_number(*value) : absent();
}

/// Cut to whole nanoseconds, as nvprof does it.
std::int64_t mean_of(const ActivitySum& sum) {
  return sum.time_ns / static_cast<std::int64_t>(sum.calls);
}

constexpr Column heading_column(std::string_view word, std::string_view help) {
  return Column::text(word, "", help).placed(Column::Place::kHeading);
}
constexpr Column time_column(std::string_view word, std::string_view header,
                             std::string_view help) {
  return Column::integer(word, header, "", help).styled(Column::Style::kTimeDigits).wide(8);
}

// clang-format off
constexpr std::array<LineColumn<NvprofLine>, 23> kNvprofColumns = {{
    {Column::text("section", "Section", "process: of the whole process; nvtx: of an NVTX range"), [](const NvprofLine& l) { return text(l.is_nvtx ? "nvtx" : "process"); }},
    {Column::integer("process", "Process", "", "operating system id of the process"), [](const NvprofLine& l) { return whole(l.process->pid); }},
    {Column::integer("thread", "Thread", "", "thread of the range, as numbered in the trace"), [](const NvprofLine& l) { return whole(l.thread); }},
    {Column::integer("tid", "TId", "", "operating system id of that thread"), [](const NvprofLine& l) { return whole(l.tid); }},
    {Column::text("domain", "Domain", "NVTX domain of the range; absent: the default one").cut_end(8), [](const NvprofLine& l) { return text(l.domain); }},
    {Column::text("range", "Range", "text of the range").cut_end(12), [](const NvprofLine& l) { return text(l.range); }},
    {Column::text("type", "Type", "Range: the range itself; GPU activities: kernels, copies and sets; API calls: CUDA functions").right().wide(16).placed(Column::Place::kLabel), [](const NvprofLine& l) { return text(l.type); }},
    {Column::real("time_pct", "Time(%)", "", "share of the time of all lines of this type under the same heading", 2).styled(Column::Style::kPercent).wide(7), [](const NvprofLine& l) { return percent(l.sum->time_ns, l.all_ns); }},
    {time_column("time_ns", "Time", "total time"), [](const NvprofLine& l) { return signed_number(l.sum->time_ns); }},
    {Column::integer("calls", "Calls", "", "number of calls, pieces of GPU work, or openings of the range").wide(8).drop(1), [](const NvprofLine& l) { return number(l.sum->calls); }},
    {time_column("avg_ns", "Avg", "mean time, cut to whole nanoseconds").drop(5), [](const NvprofLine& l) { return signed_number(mean_of(*l.sum)); }},
    {time_column("min_ns", "Min", "shortest time").drop(7), [](const NvprofLine& l) { return signed_number(l.sum->min_ns); }},
    {time_column("max_ns", "Max", "longest time").drop(6), [](const NvprofLine& l) { return signed_number(l.sum->max_ns); }},
    {Column::text("name", "Name", "kernel, copy or set, CUDA function, or text of the range").cut_end(12), [](const NvprofLine& l) { return text(l.name); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const NvprofLine& l) { return text(l.process->trace); }},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), [](const NvprofLine& l) { return l.process->rank ? number(*l.process->rank) : absent(); }},
    {heading_column("process_line", "heading: process and command"), [](const NvprofLine& l) { return text(l.process->process_line); }},
    {heading_column("trace_line", "heading: trace, and which CUDA calls it has"), [](const NvprofLine& l) { return text(l.process->trace_line); }},
    {heading_column("result_line", "heading: Profiling result or NVTX result"), [](const NvprofLine& l) { return text(l.result_line); }},
    {heading_column("warning_line", "heading: number of invalid range markers"), [](const NvprofLine& l) { return text(l.warning_line); }},
    {heading_column("thread_line", "heading: name and operating system id of the thread"), [](const NvprofLine& l) { return text(l.thread_line); }},
    {heading_column("domain_line", "heading: NVTX domain"), [](const NvprofLine& l) { return text(l.domain_line); }},
    {heading_column("range_line", "heading: text of the range"), [](const NvprofLine& l) { return text(l.range_line); }},
}};
// clang-format on

// Tables show the headings, and the columns from the type to the name.
constexpr std::size_t kFirstShown = 6, kFirstOfTrace = 14, kFirstHeading = 16;
static_assert(kNvprofColumns[kFirstShown].column.word == "type");
static_assert(kNvprofColumns[kFirstOfTrace].column.word == "trace");
static_assert(kNvprofColumns[kFirstHeading].column.word == "process_line");

ReportInfo nvprof_info() {
  ReportInfo info{
      .name = "nvprof",
      .help =
          "GPU activities, API calls and NVTX ranges with what is inside, as nvprof prints them",
      .title = "Profiling result",
      .rows = "GPU work, API calls and ranges",
      .has_steps = true,
      .has_ranges = true,
      .has_whole_ranges = true,
      .row_words = {"kernel", "kernel_full", "stream", "device", "thread", "tid", "rank", "range",
                    "capture"}};
  add_columns(kNvprofColumns, info, {});
  info.machine.resize(kFirstHeading);  // The headings repeat what other columns have.
  for (std::size_t i = kFirstHeading; i < kNvprofColumns.size(); ++i) info.table.push_back(i);
  for (std::size_t i = kFirstShown; i < kFirstOfTrace; ++i) info.table.push_back(i);
  return info;
}

ProcessFacts process_facts(const TraceMember& trace) {
  ProcessFacts facts;
  facts.trace = trace.identity.name;
  facts.rank = trace.identity.rank;
  const std::string pid = trace.reader.meta("pid");
  facts.pid = tools::parse_number<std::int64_t>(pid);
  const std::string shown = facts.pid ? pid : "-";
  const std::string command = trace.reader.meta("command_line");
  const std::string mode = trace.reader.meta("api_mode");
  facts.mark = fmt::format("=={}== ", shown);
  facts.process_line = fmt::format("{}Trace of process {}, command: {}", facts.mark, shown,
                                   command.empty() ? "-" : command);
  facts.trace_line = fmt::format("{}Trace file: {}; CUDA calls recorded: {}", facts.mark,
                                 facts.trace, mode.empty() ? "unknown" : mode);
  if (mode == "launch" || mode == "none") {
    facts.trace_line += " (prof-run --api all records every call)";
  }
  return facts;
}

/// Pushes without a pop and starts without an end, by thread; then pops and ends on their own.
struct InvalidMarkers {
  std::map<std::int64_t, std::int64_t> of_thread;
  std::int64_t all = 0;
};

Result<InvalidMarkers> invalid_markers(const RowInput& input) {
  InvalidMarkers found;
  const auto query = Query::open(input,
                                 "SELECT ifnull(thread, 0), count(*) FROM nvtx_ranges "
                                 "WHERE time_ns IS NULL GROUP BY 1");
  if (!query) return query.error();
  while ((*query)->next()) {
    const auto count = std::get<std::int64_t>((*query)->cell(1));
    found.of_thread[std::get<std::int64_t>((*query)->cell(0))] = count;
    found.all += count;
  }
  if (!(*query)->status()) return (*query)->status().error();
  for (const LossRow& loss : input.traces.members()[0].reader.losses()) {
    const bool has_no_beginning = loss.what == info(Loss::kUnbalancedPop).word ||
                                  loss.what == info(Loss::kUnknownRangeEnd).word;
    if (has_no_beginning) found.all += static_cast<std::int64_t>(loss.count);
  }
  return found;
}

std::string markers(std::int64_t count) { return fmt::format("{} invalid range marker(s)", count); }

/// The output about one trace.
class Block {
 public:
  Block(const ProcessFacts& facts, const RowInput& input, const Request& request, RowSink& sink)
      : facts_(facts), input_(input), lines_(kNvprofColumns, request, sink) {}

  /// False: the sink wants no more.
  Result<bool> print() {
    PROF_TRY(print_process());
    if (wants_more_) PROF_TRY(print_ranges());
    return wants_more_;
  }

 private:
  Status print_process();
  Status print_ranges();
  void print_group(NvprofLine line, const RangeGroup& group);
  void print_sums(NvprofLine line, std::string_view type, const ActivitySums& sums);
  void print(const NvprofLine& line);

  const ProcessFacts& facts_;
  const RowInput& input_;
  LineWriter<NvprofLine> lines_;
  bool wants_more_ = true;
};

void Block::print(const NvprofLine& line) { wants_more_ = wants_more_ && lines_.write(line); }

void Block::print_sums(NvprofLine line, std::string_view type, const ActivitySums& sums) {
  line.type = type;
  line.all_ns = sums.all_ns();
  for (const ActivitySums::Entry* entry : sums.sorted()) {
    line.name = entry->first;
    line.sum = &entry->second;
    print(line);
  }
}

Status Block::print_process() {
  ActivitySums work, calls;
  RowsOf<WorkRow> all_work(kGpuWork, input_);
  while (WorkRow* row = all_work.next()) {
    if (!row->row().has_times()) continue;
    work.add(
        row->is_kernel() ? std::string_view(row->facts()->demangled) : nvprof_name_of(row->row()),
        row->row().duration_ns);
  }
  PROF_TRY(all_work.status());
  RowsOf<ApiCall> all_calls(kApiCalls, input_);
  while (const auto* row = all_calls.next()) {
    const ApiCallRow& call = row->record();
    if (call.depth == 0 && call.duration_ns)
      calls.add(row->string(call.function), *call.duration_ns);
  }
  PROF_TRY(all_calls.status());
  const std::string result = facts_.mark + "Profiling result:";
  NvprofLine line;
  line.process = &facts_;
  line.result_line = result;
  print_sums(line, "GPU activities", work);
  print_sums(line, "API calls", calls);
  return {};
}

Status Block::print_ranges() {
  const auto invalid = invalid_markers(input_);
  if (!invalid) return invalid.error();
  const auto groups = RangeGroups::open(input_);
  if (!groups) return groups.error();
  const ThreadFacts threads(input_.traces.members()[0].reader);
  const std::string result = facts_.mark + "NVTX result:";
  std::string warning;
  if (invalid->all > 0) {
    warning = facts_.mark + "Warning: Found " + markers(invalid->all);
  }
  while (const RangeGroup* group = (*groups)->next()) {
    NvprofLine line;
    line.process = &facts_;
    line.is_nvtx = true;
    line.result_line = result;
    line.warning_line = warning;
    line.thread = group->thread;
    const ThreadRow* thread = nullptr;
    if (line.thread) thread = threads.find(ThreadId{static_cast<std::uint32_t>(*line.thread)});
    if (thread != nullptr) line.tid = thread->os_tid;
    const bool has_name = thread != nullptr && !thread->name.empty();
    std::string thread_line = fmt::format("{}  Thread \"{}\" (id = {})", facts_.mark,
                                          has_name ? thread->name : "<unnamed>",
                                          line.tid ? std::to_string(*line.tid) : "-");
    const auto bad = invalid->of_thread.find(line.thread.value_or(0));
    if (bad != invalid->of_thread.end()) thread_line += ": " + markers(bad->second);
    const std::string domain_line = fmt::format(
        "{}    Domain \"{}\"", facts_.mark, group->domain.empty() ? "<unnamed>" : group->domain);
    const std::string range_line = fmt::format("{}      Range \"{}\"", facts_.mark, group->text);
    line.thread_line = thread_line;
    line.domain_line = domain_line;
    line.range_line = range_line;
    print_group(line, *group);
    if (!wants_more_) return {};
  }
  return (*groups)->status();
}

void Block::print_group(NvprofLine line, const RangeGroup& group) {
  line.domain = group.domain;
  line.range = line.name = group.text;
  line.type = "Range";
  line.sum = &group.openings;
  line.all_ns = group.openings.time_ns;
  print(line);
  print_sums(line, "GPU activities", group.work);
  print_sums(line, "API calls", group.calls);
}

class Nvprof : public Report {
 public:
  Nvprof() : Report(nvprof_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    for (const TraceMember& trace : input.traces.members()) {
      TraceReader* const reader = &trace.reader;
      const Result<TraceSet> one = TraceSet::of({&reader, 1});
      if (!one) return one.error();
      // Rows that are read here several times must not be counted for the notes.
      Tally tally;
      const RowInput part{*one, input.reading, input.filter, tally};
      const ProcessFacts facts = process_facts(trace);
      const Result<bool> wants_more = Block(facts, part, request, sink).print();
      input.tally.filter.merge(tally.filter);
      if (!wants_more) return wants_more.error();
      if (!*wants_more) return {};
    }
    return {};
  }
};

}  // namespace

void register_nvprof(Registry& registry) { registry.add(std::make_unique<Nvprof>()); }

}  // namespace prof::reports
