// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `key_averages`: the table of torch.profiler's key_averages() from a trace. Ops are NVTX
// ranges, so their CPU times are those of the ranges. As there, a nested op of the same name counts
// in the total of both, a CUDA call is an entry of its own, taken from the op's own time, and a
// kernel is an entry, too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tools/report/compat/op_averages.hpp"
#include "tools/report/compat/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

struct AverageLine {
  const OpAverage& average;
  const OpAverages& all;
};

constexpr Column scaled_time(std::string_view word, std::string_view header,
                             std::string_view help) {
  return Column::integer(word, header, "", help).styled(Column::Style::kScaledTime).wide(9);
}
constexpr Column share(std::string_view word, std::string_view header, std::string_view help) {
  return Column::real(word, header, "", help, 2).styled(Column::Style::kPercent);
}
/// Absent if no call has a time.
Cell time_if_known(const OpAverage& average, std::int64_t time_ns) {
  return average.calls > 0 && average.unclosed == average.calls ? absent() : signed_number(time_ns);
}
Cell mean(std::int64_t time_ns, std::uint64_t count) {
  return count == 0 ? absent() : signed_number(time_ns / static_cast<std::int64_t>(count));
}

// clang-format off
constexpr std::array<LineColumn<AverageLine>, 13> kKeyAveragesColumns = {{
    {Column::text("op", "Name", "op, user range, CUDA call, kernel, copy or set").cut_end(24), [](const AverageLine& l) { return text(l.average.name); }},
    {share("self_cpu_pct", "Self CPU %", "share of the CPU time of all entries, without what is inside").drop(7), [](const AverageLine& l) { return percent(l.average.self_cpu_ns, l.all.self_cpu_ns()); }},
    {scaled_time("self_cpu_ns", "Self CPU", "time on the CPU without ops and CUDA calls inside").drop(3), [](const AverageLine& l) { return time_if_known(l.average, l.average.self_cpu_ns); }},
    {share("cpu_total_pct", "CPU total %", "share of the CPU time of all entries, with all that is inside").drop(8), [](const AverageLine& l) { return l.average.is_async ? absent() : percent(l.average.cpu_ns, l.all.self_cpu_ns()); }},
    {scaled_time("cpu_total_ns", "CPU total", "time on the CPU with all that is inside").drop(2), [](const AverageLine& l) { return time_if_known(l.average, l.average.cpu_ns); }},
    {scaled_time("cpu_avg_ns", "CPU time avg", "the same per call").drop(5), [](const AverageLine& l) { return mean(l.average.cpu_ns, l.average.calls - l.average.unclosed); }},
    {scaled_time("self_cuda_ns", "Self CUDA", "time on the GPU of what was launched directly"), [](const AverageLine& l) { return signed_number(l.average.self_cuda_ns); }},
    {share("self_cuda_pct", "Self CUDA %", "share of the time of all GPU work").drop(6), [](const AverageLine& l) { return percent(l.average.self_cuda_ns, l.all.cuda_ns()); }},
    {scaled_time("cuda_total_ns", "CUDA total", "time on the GPU of all that was launched inside, in closed ranges"), [](const AverageLine& l) { return time_if_known(l.average, l.average.cuda_ns); }},
    {scaled_time("cuda_avg_ns", "CUDA time avg", "the same per call").drop(4), [](const AverageLine& l) { return mean(l.average.cuda_ns, l.average.calls - l.average.unclosed); }},
    {Column::integer("calls", "# of Calls", "", "how often it occurs").grouped().drop(1), [](const AverageLine& l) { return number(l.average.calls); }},
    {Column::text("inputs", "Input Shapes", "shapes of the op's inputs, as its range states them").cut_end(12), [](const AverageLine& l) { return text(l.average.inputs); }},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), [](const AverageLine& l) { return l.average.rank ? number(*l.average.rank) : absent(); }},
}};
// clang-format on

// Keys besides the op, on request.
constexpr std::size_t kInputs = kKeyAveragesColumns.size() - 2;
constexpr std::size_t kRank = kKeyAveragesColumns.size() - 1;
constexpr std::string_view kRankWord = kKeyAveragesColumns[kRank].column.word;

ReportInfo key_averages_info() {
  ReportInfo info{
      .name = "key_averages",
      .help = "ops, CUDA calls and kernels as torch.profiler's key_averages() sums them",
      .title = "Key averages",
      .rows = "ranges, API calls and GPU work",
      .has_steps = true,
      .has_ranges = true,
      .reads_work = 0,
      .row_words = {StackFilter::kWords.begin(), StackFilter::kWords.end()},
      .keys = {0, kInputs, kRank}};
  for (std::size_t i = 0; i < kKeyAveragesColumns.size(); ++i) {
    info.columns.push_back(kKeyAveragesColumns[i].column);
    if (i == kInputs || i == kRank) continue;
    info.table.push_back(i);
    info.machine.push_back(i);
  }
  info.row_words.push_back(kRankWord);
  info.row_words.emplace_back("capture");
  info.listed = info.columns.size();
  return info;
}

/// Whether the ranks that are chosen are those of the trace.
bool takes_rank(const TraceIdentity& trace, const RowFilter& filter, FilterTally& tally) {
  tally.columns.resize(filter.columns.size());
  bool wanted = true;
  for (std::size_t i = 0; i < filter.columns.size(); ++i) {
    if (filter.columns[i].option->columns.front() != kRankWord) continue;
    const std::string rank = trace.rank ? std::to_string(*trace.rank) : std::string();
    const bool is_match = filter.columns[i].matches(rank);
    tally.columns[i].applies = true;
    tally.columns[i].count(is_match, rank);
    wanted &= is_match;
  }
  return wanted;
}

class KeyAverages : public Report {
 public:
  KeyAverages() : Report(key_averages_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    const auto has = [&request](std::size_t column) {
      return std::ranges::find(request.columns, column) != request.columns.end();
    };
    OpAverages averages({.inputs = has(kInputs), .rank = has(kRank)});
    FilterTally& tally = input.tally.filter;
    for (const TraceMember& trace : input.traces.members()) {
      const TraceIdentity& identity = trace.identity;
      if (!takes_rank(identity, input.filter, tally)) continue;
      PROF_TRY(averages.add(trace, input));
    }
    input.tally.remarks.push_back(
        fmt::format("Self CPU time total: {:.3f} ms; Self CUDA time total: {:.3f} ms",
                    static_cast<double>(averages.self_cpu_ns()) / 1e6,
                    static_cast<double>(averages.cuda_ns()) / 1e6));
    LineWriter<AverageLine> lines(kKeyAveragesColumns, request, sink);
    for (const OpAverage* average : averages.sorted()) {
      if (!lines.write({*average, averages})) break;
    }
    return {};
  }
};

}  // namespace

void register_key_averages(Registry& registry) { registry.add(std::make_unique<KeyAverages>()); }

}  // namespace prof::reports
