// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `collectives`: collectives as all their ranks see them (analyzers/ranks/join.hpp): what is
// transfer, what is waiting for the last rank to come, and which one that is. A line for each
// communicator, op and size, or for each collective if a column of one is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/base/statistics.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

using ranks::JoinedCollective;
using ranks::JoinedRun;
using ranks::Participant;
using ranks::RankCollective;

/// Lines of a table for people: those with most time.
constexpr std::size_t kMostGroups = 30;

struct CollectiveLine {
  std::string run, ranks, op, direction, last, arrivals;
  std::optional<double> message_bytes, size, transfer_ns, algorithm_rate, bus_rate;
  double wait_ns = 0, longest_ns = 0, exposed_ns = 0, hidden_pct = 0, last_pct = 0;
  std::size_t count = 0, participants = 0;
  std::optional<std::int64_t> step, sequence;
  bool is_estimated = false;

  [[nodiscard]] Cell time(double value) const {
    return is_estimated ? estimate(value) : real(value);
  }
  [[nodiscard]] Cell time(const std::optional<double>& value) const {
    return value ? time(*value) : absent();
  }
};

// clang-format off
constexpr std::array<LineColumn<CollectiveLine>, 20> kCollectiveColumns = {{
    {Column::text("ranks", "Ranks", "ranks of the communicator that have traces; of a send or receive the two").cut_end(8), [](const CollectiveLine& l) { return text(l.ranks); }},
    {Column::text("op", "Op", "collective, send or receive").cut_end(10), [](const CollectiveLine& l) { return text(l.op); }},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)").drop(1), [](const CollectiveLine& l) { return text(l.direction); }},
    {Column::real("message_bytes", "Message", "B", "size of one message, as nccl-tests counts it; of several the largest", 0).grouped(), [](const CollectiveLine& l) { return real(l.message_bytes); }},
    {Column::integer("count", "Count", "", "collectives"), [](const CollectiveLine& l) { return number(l.count); }},
    {Column::time("transfer_ns", "Transfer", "median time from the last rank's arrival to the end: the shortest time over the ranks", Column::Type::kReal), [](const CollectiveLine& l) { return l.time(l.transfer_ns); }},
    {Column::time("wait_ns", "Wait", "mean time that a rank waits in one of them for the last rank to come", Column::Type::kReal), [](const CollectiveLine& l) { return l.time(l.wait_ns); }},
    {Column::time("longest_wait_ns", "Longest", "longest wait of a rank", Column::Type::kReal).drop(4), [](const CollectiveLine& l) { return l.time(l.longest_ns); }},
    {Column::real("alg_gb_per_s", "AlgBW", "GB/s", "message size over the transfer (nccl-tests' algbw): the median", 1).grouped().drop(3), [](const CollectiveLine& l) { return real(l.algorithm_rate); }},
    {Column::real("bus_gb_per_s", "BusBW", "GB/s", "algorithm bandwidth times the share each link carries (nccl-tests' busbw): the median", 1).grouped(), [](const CollectiveLine& l) { return real(l.bus_rate); }},
    {Column::time("exposed_ns", "Exposed", "mean time in which a rank computes nothing", Column::Type::kReal).drop(6), [](const CollectiveLine& l) { return real(l.exposed_ns); }},
    {Column::real("hidden_pct", "Hidden", "%", "part of the time in which a rank computes", 1).drop(5), [](const CollectiveLine& l) { return real(l.hidden_pct); }},
    {Column::text("last", "Last", "rank that comes last most often").cut_end(7), [](const CollectiveLine& l) { return text(l.last); }},
    {Column::real("last_pct", "Last in", "%", "how often it does", 0).drop(2), [](const CollectiveLine& l) { return l.last.empty() ? absent() : real(l.last_pct); }},
    {Column::integer("of_ranks", "Of", "", "ranks of the communicator"), [](const CollectiveLine& l) { return real(l.size); }},
    {Column::integer("seen_by", "Seen by", "", "ranks whose traces have it"), [](const CollectiveLine& l) { return number(l.participants); }},
    {Column::text("run", "Run", "job id set by the launcher").cut_end(8), [](const CollectiveLine& l) { return text(l.run); }},
    {Column::integer("step", "Step", "", "number of the step; a line for each collective"), [](const CollectiveLine& l) { return l.step ? signed_number(*l.step) : absent(); }},
    {Column::integer("sequence", "Sequence", "", "the library's number of it among those of its op in the communicator; a line for each collective"), [](const CollectiveLine& l) { return l.sequence ? signed_number(*l.sequence) : absent(); }},
    {Column::text("arrivals", "Arrivals", "how long before the last rank each one comes, in us; a line for each collective"), [](const CollectiveLine& l) { return text(l.arrivals); }},
}};
// clang-format on
constexpr std::size_t kFirstOfEach = 17;  // columns that ask for a line for each collective

ReportInfo collectives_info() {
  ReportInfo info{.name = "collectives",
                  .help = "collectives over all ranks: transfer, waits, true bandwidths, last rank",
                  .missing = "no collective is in the traces of two ranks",
                  .rows = "GPU work",
                  .row_words = {"capture"}};
  add_columns(kCollectiveColumns, info,
              "ranks,op,dir,message_bytes,count,transfer_ns,wait_ns,longest_wait_ns,alg_gb_per_s,"
              "bus_gb_per_s,exposed_ns,hidden_pct,last,last_pct");
  std::erase_if(info.machine, [](std::size_t index) { return index >= kFirstOfEach; });
  return info;
}

/// The collectives that one line shows.
class CollectiveGroup {
 public:
  explicit CollectiveGroup(const JoinedRun& run) : run_(&run) {}

  void add(const JoinedCollective& one) {
    members_.push_back(&one);
    const auto transfer_ns = static_cast<double>(one.transfer_ns);
    double bytes = 0,
           bus_bytes = 0;  // of the rank with most, for which an uneven one takes longest
    transfers_.push_back(transfer_ns);
    if (one.last) ++last_[*one.last];
    for (const Participant& participant : run_->of(one)) {
      const RankCollective& seen = run_->seen_by(participant);
      const auto wait = static_cast<double>(participant.wait_ns);
      wait_ns_ += wait;
      longest_ns_ = std::max(longest_ns_, wait);
      exposed_ns_ += static_cast<double>(seen.exposed_ns);
      time_ns_ += static_cast<double>(seen.duration_ns());
      bytes = std::max(bytes, seen.bytes);
      bus_bytes = std::max(bus_bytes, seen.bus_bytes);
      ++participants_;
    }
    bytes_ = std::max(bytes_, bytes);
    if (transfer_ns <= 0) return;
    if (bytes > 0) algorithm_rates_.push_back(bytes / transfer_ns);
    if (bus_bytes > 0) bus_rates_.push_back(bus_bytes / transfer_ns);
  }

  [[nodiscard]] double time_ns() const { return time_ns_; }

  CollectiveLine line(bool is_for_each) {
    const JoinedCollective& first = *members_.front();
    const Participant& participant = run_->of(first).front();
    const ranks::Place& place = run_->place_of(participant);
    const ranks::JoinedCommunicator& communicator = run_->communicators[first.communicator];
    CollectiveLine made;
    made.run = run_->run.id;
    made.ranks = is_pair() ? pair_text(first) : communicator.name;
    made.op = place.op;
    made.direction = name(place.direction);
    if (communicator.size) made.size = *communicator.size;
    made.count = members_.size();
    made.participants = run_->of(first).size();
    made.is_estimated = std::ranges::any_of(
        members_, [](const JoinedCollective* one) { return one->is_estimated; });
    const auto each = static_cast<double>(participants_);
    made.wait_ns = wait_ns_ / each;
    made.longest_ns = longest_ns_;
    made.exposed_ns = exposed_ns_ / each;
    made.hidden_pct = time_ns_ > 0 ? 100 * (1 - exposed_ns_ / time_ns_) : 0;
    made.transfer_ns = median(transfers_);
    if (bytes_ > 0) made.message_bytes = bytes_;
    if (!algorithm_rates_.empty()) made.algorithm_rate = median(algorithm_rates_);
    if (!bus_rates_.empty()) made.bus_rate = median(bus_rates_);
    const auto last =
        std::ranges::max_element(last_, {}, [](const auto& one) { return one.second; });
    if (last != last_.end()) {
      made.last = run_->run.ranks[last->first].label;
      made.last_pct = 100 * static_cast<double>(last->second) / static_cast<double>(made.count);
    }
    if (is_for_each) describe_one(first, made);
    return made;
  }

 private:
  [[nodiscard]] bool is_pair() const { return members_.front()->rule == ranks::WaitRule::kPair; }
  [[nodiscard]] std::string pair_text(const JoinedCollective& one) const {
    std::string text;
    for (const Participant& participant : run_->of(one)) {
      const ranks::RankId& rank = run_->run.ranks[participant.rank];
      if (!text.empty()) text += ", ";
      text += rank.rank ? std::to_string(*rank.rank) : rank.label;
    }
    return text;
  }
  void describe_one(const JoinedCollective& one, CollectiveLine& made) const {
    made.step = run_->seen_by(run_->of(one).front()).step;
    made.sequence = one.sequence;
    for (const Participant& participant : run_->of(one)) {
      const ranks::RankId& rank = run_->run.ranks[participant.rank];
      made.arrivals += fmt::format("{}{} {:.1f}", made.arrivals.empty() ? "" : ", ",
                                   rank.rank ? std::to_string(*rank.rank) : rank.label,
                                   static_cast<double>(participant.wait_ns) / 1e3);
    }
  }

  const JoinedRun* run_;
  std::vector<const JoinedCollective*> members_;
  std::vector<double> transfers_, algorithm_rates_, bus_rates_;
  std::map<std::uint32_t, std::size_t> last_;
  double wait_ns_ = 0, longest_ns_ = 0, exposed_ns_ = 0, time_ns_ = 0, bytes_ = 0;
  std::size_t participants_ = 0;
};

class CollectivesReport : public Report {
 public:
  CollectivesReport() : Report(collectives_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    RanksPass pass(input);
    PROF_TRY(pass.read());
    const bool is_for_each = std::ranges::any_of(
        request.columns, [](std::size_t index) { return index >= kFirstOfEach; });
    const bool leaves_out = request.for_people && !request.lines_chosen && !is_for_each;
    LineWriter<CollectiveLine> lines(kCollectiveColumns, request, sink);
    std::size_t printed = 0, left_out = 0;
    for (const RanksOfRun& of : pass.runs()) {
      for (CollectiveGroup& group : groups_of(of.joined, is_for_each)) {
        if (leaves_out && printed >= kMostGroups) {
          ++left_out;
          continue;
        }
        ++printed;
        if (!lines.write(group.line(is_for_each))) return {};
      }
    }
    if (left_out > 0) {
      input.tally.remarks.push_back(
          fmt::format("{} not shown, which took less time; -f csv has them",
                      count_text(left_out, "group is", "groups are")));
    }
    return {};
  }

 private:
  /// The groups with most time first, or all in order.
  static std::vector<CollectiveGroup> groups_of(const JoinedRun& run, bool is_for_each) {
    std::vector<CollectiveGroup> groups;
    // For a pair, its two ranks are part of the key; both sides have a word of their own, and the
    // first rank's is shown.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string, Direction, double>, std::size_t>
        known;
    for (const JoinedCollective& one : run.collectives) {
      const Participant& first = run.of(one).front();
      const ranks::Place& place = run.place_of(first);
      const bool is_pair = one.rule == ranks::WaitRule::kPair;
      const std::uint32_t pair =
          is_pair ? 1 + first.rank * static_cast<std::uint32_t>(run.summaries.size()) +
                        run.of(one).back().rank
                  : 0;
      double bytes = 0;
      for (const Participant& each : run.of(one)) {
        bytes = std::max(bytes, run.seen_by(each).bytes);
      }
      const std::tuple key(one.communicator, pair, place.op, place.direction, bytes);
      const auto [found, is_new] = known.try_emplace(key, groups.size());
      if (is_new || is_for_each) {
        found->second = groups.size();
        groups.emplace_back(run);
      }
      groups[found->second].add(one);
    }
    if (!is_for_each) std::ranges::stable_sort(groups, std::greater{}, &CollectiveGroup::time_ns);
    return groups;
  }
};

}  // namespace

void register_collectives(Registry& registry) {
  registry.add(std::make_unique<CollectivesReport>());
}

}  // namespace prof::reports
