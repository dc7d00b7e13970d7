// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/ranks/ranks_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <optional>
#include <thread>

#include "analyzers/ranks/summarizer.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "tools/report/filter/capture_filter.hpp"
#include "tools/report/ranks/cause_text.hpp"

namespace prof::reports {
namespace {

/// If there are more hosts, one line states how much their clocks differ.
constexpr std::size_t kMostClocks = 4;

using Summaries = std::vector<ranks::RankSummary>;

/// Leaves out work of captures that are not chosen.
class ChosenWork final : public AttributedWork {
 public:
  ChosenWork(std::unique_ptr<AttributedWork> work, const RowFilter& filter,
             const Captures& captures)
      : work_(std::move(work)), filter_(filter), captures_(captures) {}

  const AttributedRow* next() override {
    const AttributedRow* row = work_->next();
    while (row != nullptr && filter_.captures && !is_chosen(*row)) row = work_->next();
    return row;
  }
  [[nodiscard]] Status status() const override { return work_->status(); }
  [[nodiscard]] AttributionCounts counts() const override { return work_->counts(); }

 private:
  [[nodiscard]] bool is_chosen(const AttributedRow& row) const {
    return takes_capture(filter_, captures_, capture_of(row.gpu, captures_));
  }

  std::unique_ptr<AttributedWork> work_;
  const RowFilter& filter_;
  const Captures& captures_;
};

/// Summarizes one trace, by a reader of its own: everything that it keeps of the file is gone when
/// it is done. An exception ends this trace's reading alone.
Result<Summaries> summarize_one(const TraceMember& trace, const RowInput& input) try {
  const Result<std::unique_ptr<TraceReader>> reader = TraceReader::open(trace.reader.path());
  if (!reader) return reader.error();
  TraceReader& own = **reader;
  constexpr auto kAll = TraceReader::Work::kKernelsAndCopies;
  const bool are_few = input.traces.size() <= Reading::kMostKept;
  ChosenWork work(are_few ? input.reading.work(own, kAll) : input.reading.work_of_one(own, kAll),
                  input.filter, own.captures());
  return ranks::summarize(own, work);
} catch (const std::exception& error) {
  return Error{.what = error.what(), .where = trace.identity.name, .hint = {}};
}

std::string clock_text(const RanksOfRun& of, std::size_t host) {
  const ranks::HostClock& clock = of.clocks[host];
  const std::vector<std::string>& hosts = of.joined.run.hosts;
  std::string text = fmt::format(
      "clock of {}: {} {} that of {}, +- {}", hosts[host], time_text(std::abs(clock.offset_ns)),
      clock.offset_ns < 0 ? "behind" : "ahead of", hosts.front(), time_text(clock.spread_ns));
  if (clock.drift != 0) text += fmt::format(", drifting {:.1f} us a second", clock.drift * 1e6);
  return text;
}

std::string clocks_text(const RanksOfRun& of, const std::vector<std::size_t>& hosts) {
  double least_ns = 0, most_ns = 0, spread_ns = 0;
  for (const std::size_t host : hosts) {
    least_ns = std::min(least_ns, of.clocks[host].offset_ns);
    most_ns = std::max(most_ns, of.clocks[host].offset_ns);
    spread_ns = std::max(spread_ns, of.clocks[host].spread_ns);
  }
  return fmt::format(
      "clocks of {} hosts: up to {} behind and {} ahead of that of {}, +- {} at most",
      grouped(hosts.size()), time_text(-least_ns), time_text(most_ns), of.joined.run.hosts.front(),
      time_text(spread_ns));
}

/// How far the clocks of the other hosts differ from the first one's.
void add_clocks(const RanksOfRun& of, const std::string& run, std::vector<std::string>& remarks) {
  std::vector<std::size_t> known, unknown;
  for (std::size_t host = 1; host < of.clocks.size(); ++host) {
    (of.clocks[host].is_known ? known : unknown).push_back(host);
  }
  if (known.size() > kMostClocks) {
    remarks.push_back(run + clocks_text(of, known));
  } else {
    for (const std::size_t host : known) remarks.push_back(run + clock_text(of, host));
  }
  if (unknown.empty()) return;
  remarks.push_back(fmt::format(
      "{}how far the clock of {} differs is unknown: no collective of equal sizes connects {} with "
      "{}",
      run,
      of.joined.run.hosts[unknown.front()] +
          (unknown.size() > 1 ? fmt::format(" and those of {} more hosts", unknown.size() - 1)
                              : ""),
      unknown.size() > 1 ? "them" : "it", of.joined.run.hosts.front()));
}

void add_remarks(const RanksOfRun& of, std::vector<std::string>& remarks) {
  const ranks::JoinedRun& joined = of.joined;
  const ranks::Run& run = joined.run;
  const std::string name = run.id.empty() ? "" : fmt::format("run {}: ", run.id);
  for (const std::string& line : run.remarks) remarks.push_back(name + line);
  if (!run.missing.empty()) {
    remarks.push_back(
        fmt::format("{}of {} ranks, {} no trace here: waits for {} show as transfers", name,
                    grouped(*run.world),
                    (run.missing.size() > 1 ? "ranks " + ranks::list_of(run.missing) + " have"
                                            : "rank " + ranks::list_of(run.missing) + " has"),
                    run.missing.size() > 1 ? "them" : "it"));
  }
  if (joined.aligned > 0) {
    remarks.push_back(fmt::format(
        "{}{} of {} collectives are matched by what they are and when they ran: an estimate, as "
        "the traces have no sequence numbers of them",
        name, grouped(joined.aligned), grouped(joined.collectives.size())));
  }
  if (joined.unmatched > 0) {
    remarks.push_back(
        fmt::format("{}{} in one rank alone, or could not be matched", name,
                    count_text(joined.unmatched, "collective is", "collectives are")));
  }
  add_clocks(of, name, remarks);
}

}  // namespace

const RankWaitsFinder* RanksPass::keeper() const {
  const bool is_all = !input_.filter.captures && first_ == 0 && end_ == input_.traces.size();
  const auto* const finder = input_.find_waits.target<RankWaitsFinder>();
  return is_all && finder != nullptr && finder->keeps() ? finder : nullptr;
}

Status RanksPass::summarize(RanksRead& made) const {
  const std::vector<TraceMember>& traces = input_.traces.members();
  std::vector<std::optional<Result<Summaries>>> of_traces(end_ - first_);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < of_traces.size(); i = next++) {
      of_traces[i] = summarize_one(traces[first_ + i], input_);
    }
  };
  const std::size_t count = std::min(input_.reading.jobs(), of_traces.size());
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < count; ++i) others.emplace_back(work);
    work();
  }
  const auto is_read = [](const auto& one) { return one->ok(); };
  if (!of_traces.empty() && std::ranges::none_of(of_traces, is_read)) {
    return (*of_traces.front()).error();
  }
  for (std::size_t i = 0; i < of_traces.size(); ++i) {
    if (!*of_traces[i]) {
      made.warnings.push_back("left out: " + of_traces[i]->error().to_line());
      continue;
    }
    for (ranks::RankSummary& summary : **of_traces[i]) {
      summary.trace = first_ + i;
      made.summaries.push_back(std::move(summary));
    }
  }
  return {};
}

Result<std::shared_ptr<const RanksRead>> RanksPass::read_traces() const {
  auto made = std::make_shared<RanksRead>();
  PROF_TRY(summarize(*made));
  for (ranks::Run& run : ranks::runs_of(input_.traces, made->summaries)) {
    RanksOfRun of{
        .joined = ranks::join(std::move(run), made->summaries), .clocks = {}, .blame = {}};
    of.clocks = ranks::host_clocks(of.joined);
    of.blame = ranks::find_blame(of.joined);
    add_remarks(of, made->remarks);
    made->runs.push_back(std::move(of));
  }
  return std::shared_ptr<const RanksRead>(std::move(made));
}

Status RanksPass::read() {
  const RankWaitsFinder* const keeps = keeper();
  if (keeps != nullptr && keeps->kept() != nullptr) {
    read_ = keeps->kept();
  } else {
    Result<std::shared_ptr<const RanksRead>> made = read_traces();
    if (!made) return made.error();
    read_ = std::move(*made);
    if (keeps != nullptr) keeps->keep(read_);
  }
  std::ranges::copy(read_->remarks, std::back_inserter(input_.tally.remarks));
  std::ranges::copy(read_->warnings, std::back_inserter(input_.tally.warnings));
  return {};
}

}  // namespace prof::reports
