// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `imbalance`: the same op and layer in all ranks that have it: which one needs longest, and
// whether it has more to do (analyzers/ranks/place_table.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analyzers/ranks/place_table.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/ranks/ranks_pass.hpp"

namespace prof::reports {
namespace {

/// In a table for people, what is within the noise of its steps or the spread of the other ranks is
/// left out, and what takes less.
constexpr double kBeyondNoise = 6;
constexpr double kLeastNs = 10'000;
constexpr std::size_t kMostOps = 30;

struct ImbalanceLine {
  const ranks::JoinedRun* run = nullptr;
  ranks::PlaceDifference most;
  std::size_t ranks = 0;
  bool is_copy = false, is_of_layers_alike = false;

  [[nodiscard]] bool is_sure() const {
    return most.excess_ns >
           std::max({kLeastNs, kBeyondNoise * most.noise_ns, kBeyondNoise * most.spread_ns});
  }
  [[nodiscard]] Cell times_larger() const {
    return most.others_amount > 0 ? real(most.own_amount / most.others_amount) : absent();
  }
};

Cell rows_cell(double rows) { return rows > 0 ? real(rows) : absent(); }

// clang-format off
constexpr std::array<LineColumn<ImbalanceLine>, 14> kImbalanceColumns = {{
    {Column::text("layer", "Layer", "path of the layers").cut_front(12), [](const ImbalanceLine& l) { return text(l.most.place->layer); }},
    {Column::text("op", "Op", "the op").cut_end(10), [](const ImbalanceLine& l) { return text(l.most.place->op); }},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)"), [](const ImbalanceLine& l) { return text(name(l.most.place->direction)); }},
    {Column::text("what", "What", "kernels, or copies and sets").drop(4), [](const ImbalanceLine& l) { return text(l.is_copy ? "copies" : "kernels"); }},
    {Column::text("who", "Rank", "rank that needs longest"), [](const ImbalanceLine& l) { return text(l.run->run.ranks[l.most.rank].label); }},
    {Column::time("own_ns", "Longest", "what it needs in a step: the median over the steps", Column::Type::kReal), [](const ImbalanceLine& l) { return real(l.most.own_ns); }},
    {Column::time("others_ns", "Others", "what the others need: the median", Column::Type::kReal), [](const ImbalanceLine& l) { return real(l.most.others_ns); }},
    {Column::time("excess_ns", "Excess", "what it needs more; without what runs beside transfers of collectives if that is less", Column::Type::kReal), [](const ImbalanceLine& l) { return real(l.most.excess_ns); }},
    {Column::real("size_ratio", "Size", "x", "FLOPs of its kernels, or else bytes, over those of the others", 2).drop(3), [](const ImbalanceLine& l) { return l.times_larger(); }},
    {Column::real("rows", "Rows", "", "rows of the inputs of its products in a step (N in cuBLAS's terms): of an expert, its tokens", 0).grouped().drop(1), [](const ImbalanceLine& l) { return rows_cell(l.most.own_rows); }},
    {Column::real("others_rows", "Rows of others", "", "likewise: the mean", 0).grouped().drop(2), [](const ImbalanceLine& l) { return rows_cell(l.most.others_rows); }},
    {Column::integer("ranks", "Ranks", "", "ranks that are compared; of stages of a pipeline, layers that differ in their numbers alone").drop(5), [](const ImbalanceLine& l) { return number(l.ranks); }},
    {Column::time("noise_ns", "Noise", "how far the excess may be from that of many steps", Column::Type::kReal), [](const ImbalanceLine& l) { return real(l.most.noise_ns); }},
    {Column::integer("rank", "Number", "", "rank of the process in its job"), [](const ImbalanceLine& l) { const auto& rank = l.run->run.ranks[l.most.rank].rank; return rank ? number(*rank) : absent(); }},
}};
// clang-format on

ReportInfo imbalance_info() {
  ReportInfo info{.name = "imbalance",
                  .help = "the same op and layer across ranks: who needs longest, and for how much",
                  .missing = "no op takes longer in one rank than in the others, beyond chance",
                  .rows = "GPU work",
                  .row_words = {"capture"}};
  add_columns(kImbalanceColumns, info,
              "layer,op,dir,what,who,own_ns,others_ns,excess_ns,size_ratio,rows,others_rows,ranks");
  return info;
}

/// The largest excess first. Of ranks that need as long the one with the larger excess.
std::vector<ImbalanceLine> lines_of(const ranks::JoinedRun& run, const ranks::PlaceTable& table) {
  std::vector<ImbalanceLine> lines;
  for (const ranks::PlaceRow& row : table.rows()) {
    const bool is_copy = row.activity == ranks::Activity::kCopies;
    if (row.activity != ranks::Activity::kKernels && !is_copy) continue;
    const std::vector<ranks::PlaceDifference> all = table.differences(row);
    const auto most = std::ranges::max_element(all, {}, [](const ranks::PlaceDifference& one) {
      return std::pair(one.own_ns, one.excess_ns);
    });
    if (most == all.end() || most->own_ns <= 0) continue;
    lines.push_back({&run, *most, all.size(), is_copy, row.is_of_layers_alike});
    ranks::PlaceDifference& made = lines.back().most;
    made.others_ns = std::min(made.others_ns, made.own_ns);
    made.excess_ns = std::clamp(made.excess_ns, 0.0, made.own_ns);
  }
  std::ranges::stable_sort(lines, std::greater{},
                           [](const ImbalanceLine& line) { return line.most.excess_ns; });
  return lines;
}

class ImbalanceReport : public Report {
 public:
  ImbalanceReport() : Report(imbalance_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    RanksPass pass(input);
    PROF_TRY(pass.read());
    LineWriter<ImbalanceLine> lines(kImbalanceColumns, request, sink);
    const bool leaves_out = request.for_people && !request.lines_chosen;
    std::size_t printed = 0, left_out = 0;
    for (const RanksOfRun& of : pass.runs()) {
      const ranks::PlaceTable table(of.joined);
      for (const ImbalanceLine& line : lines_of(of.joined, table)) {
        if (leaves_out && (!line.is_sure() || printed >= kMostOps)) {
          ++left_out;
          continue;
        }
        ++printed;
        if (!lines.write(line)) return {};
      }
    }
    if (left_out > 0) {
      input.tally.remarks.push_back(fmt::format(
          "{} not shown: {}; -f csv has them", count_text(left_out, "op is", "ops are"),
          printed >= kMostOps ? "they differ less" : "the ranks differ by chance alone"));
    }
    return {};
  }
};

}  // namespace

void register_imbalance(Registry& registry) { registry.add(std::make_unique<ImbalanceReport>()); }

}  // namespace prof::reports
