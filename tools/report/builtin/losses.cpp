// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `losses`: what a trace lacks, and what is estimated in it, one line each. The lines of the
// notes (loss_lines.hpp), and the kernels of which a fact is not known or is a guess, with their
// share of the time. Reads the attributed kernels once.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/checks/contradictions.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/loss_lines.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

/// A line with the time of its kernels, if it is about kernels.
struct LossesLine {
  LossLine loss;
  std::optional<std::int64_t> time_ns = std::nullopt;
  bool some_untimed = false;  ///< The time of some of the kernels is not known.
  std::int64_t all_ns = 0;    ///< Time of all kernels of the trace.
  const TraceIdentity* trace = nullptr;

  [[nodiscard]] Cell shown_time() const {
    if (!some_untimed || !time_ns) return nanoseconds(time_ns);
    return Cell{AtLeast{static_cast<double>(*time_ns)}};
  }
  [[nodiscard]] Cell time_pct() const {
    return time_ns && !some_untimed ? percent(*time_ns, all_ns) : absent();
  }
};

// clang-format off
constexpr std::array<LineColumn<LossesLine>, 9> kLossesColumns = {{
    {Column::text("kind", "Kind", "lost: missing from the trace; unknown: recorded, but not all is known of it; guess: estimated or contradictory; notice: unusual, but nothing is missing"), [](const LossesLine& l) { return text(name(l.loss.kind)); }},
    {Column::integer("count", "Count", "", "how many").grouped(), [](const LossesLine& l) { return number(l.loss.count); }},
    {Column::time("time_ns", "Time", "their time on the GPU; absent: they are not kernels, or it is not known").drop(6), [](const LossesLine& l) { return l.shown_time(); }},
    {Column::real("time_pct", "Time", "%", "share of the time of all kernels; absent: some have no times", 1), [](const LossesLine& l) { return l.time_pct(); }},
    {Column::text("what", "What", "what is missing, not known or estimated").wrap(20), [](const LossesLine& l) { return text(l.loss.what); }},
    {Column::text("advice", "What to do", "what helps; absent: nothing does, or nothing is amiss").wrap(18).drop(1), [](const LossesLine& l) { return text(l.loss.advice); }},
    {Column::text("word", "Word", "word of the loss, for programs").cut_end(8), [](const LossesLine& l) { return text(l.loss.word); }},
    {Column::text("trace", "Trace", "file name of the trace").cut_front(8), [](const LossesLine& l) { return text(l.trace->name); }},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), [](const LossesLine& l) { return l.trace->rank ? number(*l.trace->rank) : absent(); }},
}};
// clang-format on

ReportInfo losses_info() {
  ReportInfo info{
      .name = "losses",
      .help = "what the trace lacks and what is estimated, with counts, time and advice",
      .missing = "nothing is missing, and nothing is estimated",
      .rows = "kernels, and losses of the trace",
      .has_steps = true,
      .has_ranges = true};
  add_columns(kLossesColumns, info, "kind,count,time_ns,time_pct,what,advice", "trace,rank");
  for (const Field& field : kKernels.fields) info.row_words.push_back(field.column.word);
  return info;
}

bool is_absent(const Cell& cell) { return std::holds_alternative<Absent>(cell); }

bool is_estimated(const WorkRow& row, ProvenanceField field) {
  return row.provenance(field) == Provenance::kEstimated;
}

/// A possible defect of a kernel.
struct Condition {
  std::string_view word;
  LossKind kind;
  std::string_view what;  ///< Empty: the notes have the line.
  std::string_view advice;
  bool (*holds)(WorkRow& row);
};

constexpr std::string_view kName = "name it: docs/annotate.md";
constexpr std::string_view kShapes = "state them: docs/annotate.md";
constexpr std::string_view kFormulas = "see the formulas in docs/ops.md";

// clang-format off
constexpr Condition kConditions[] = {
    {"unattributed", LossKind::kUnknown, "", "", [](WorkRow& r) { return is_unattributed(r.attribution()); }},
    {"unknown_op", LossKind::kUnknown, "", "", [](WorkRow& r) { return !r.op().op.empty() && !r.op().known_op; }},
    {"no_launch", LossKind::kUnknown, "", "", [](WorkRow& r) { return !r.row().launched; }},
    {"no_layer", LossKind::kUnknown, "kernels without a layer", kName, [](WorkRow& r) { return r.op().layer.empty(); }},
    {"no_op", LossKind::kUnknown, "kernels without an op", kName, [](WorkRow& r) { return r.op().op.empty(); }},
    {"no_direction", LossKind::kUnknown, "kernels of an op without direction", kName, [](WorkRow& r) { return !r.op().op.empty() && r.op().direction == Direction::kNone; }},
    {"no_step", LossKind::kUnknown, "kernels outside of steps", "choose steps with --step", [](WorkRow& r) { return !r.attribution().step; }},
    {"no_times", LossKind::kUnknown, "kernels without start and end", "", [](WorkRow& r) { return !r.row().has_times(); }},
    {"no_shapes", LossKind::kUnknown, "kernels without shapes", kShapes, [](WorkRow& r) { return !r.op().op.empty() && r.op().shapes_from == Provenance::kNone; }},
    {"no_flops", LossKind::kUnknown, "kernels of unknown FLOPs", "list them: --where 'flops IS NULL'", [](WorkRow& r) { return !r.attribution().cost.flops; }},
    {"no_bytes", LossKind::kUnknown, "kernels of unknown bytes", "list them: --where 'bytes IS NULL'", [](WorkRow& r) { return !r.attribution().cost.bytes; }},
    {"no_roofline", LossKind::kUnknown, "main kernels without a roofline limit", "see docs/reports.md, Distance from the hardware's limit", [](WorkRow& r) { return is_absent(work_cells::roofline_pct(r)) && (r.attribution().op_id == 0 || r.attribution().share != 0); }},
    {"l2_estimated", LossKind::kGuess, "kernels limited by an L2 cache whose bandwidth is estimated", "see analyzers/devices/limits.inc", [](WorkRow& r) { return r.roofline().is_l2_estimated && devices::bound(r.roofline(), r.row().duration_ns) == devices::Bound::kL2; }},
    {"layer_estimated", LossKind::kGuess, "kernels of an estimated layer", kName, [](WorkRow& r) { return is_estimated(r, ProvenanceField::kLayer); }},
    {"op_estimated", LossKind::kGuess, "kernels of an estimated op", kName, [](WorkRow& r) { return is_estimated(r, ProvenanceField::kOp); }},
    {"direction_estimated", LossKind::kGuess, "kernels of an estimated direction", kName, [](WorkRow& r) { return is_estimated(r, ProvenanceField::kDirection); }},
    {"shapes_estimated", LossKind::kGuess, "kernels of estimated shapes", kShapes, [](WorkRow& r) { return is_estimated(r, ProvenanceField::kShapes); }},
    {"dtype_estimated", LossKind::kGuess, "kernels of an estimated data type", "state it: docs/annotate.md", [](WorkRow& r) { return is_estimated(r, ProvenanceField::kDType); }},
    {"flops_estimated", LossKind::kGuess, "kernels of estimated FLOPs", kFormulas, [](WorkRow& r) { return is_estimated(r, ProvenanceField::kFlops); }},
    {"flops_upper_bound", LossKind::kGuess, "kernels whose FLOPs are an upper bound", "lengths are known to the GPU alone: docs/ops.md, attention", [](WorkRow& r) { return r.provenance(ProvenanceField::kFlops) == Provenance::kUpperBound; }},
    {"bytes_estimated", LossKind::kGuess, "kernels of estimated bytes", kFormulas, [](WorkRow& r) { return is_estimated(r, ProvenanceField::kBytes); }},
};
// clang-format on

struct Seen {
  std::uint64_t kernels = 0, untimed = 0;
  std::int64_t time_ns = 0;

  void add(const GpuRow& row) {
    ++kernels;
    if (!row.has_times()) ++untimed;
    time_ns = sum_of_times(time_ns, std::max<std::int64_t>(row.duration_ns, 0));
  }
};

/// The kernels of a trace that are shown.
struct KernelsSeen {
  Seen all;
  std::array<Seen, std::size(kConditions)> conditions;
  std::array<Seen, kContradictions> contradictions;

  void add(WorkRow& row) {
    all.add(row.row());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (kConditions[i].holds(row)) conditions[i].add(row.row());
    }
    for (std::size_t i = 0; i < kContradictions; ++i) {
      if (row.attribution().contradictions.test(i)) contradictions[i].add(row.row());
    }
  }
  /// Null: the line is not about kernels, or they were not looked at.
  [[nodiscard]] const Seen* of(std::string_view word) const {
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (kConditions[i].word == word) return &conditions[i];
    }
    for (std::size_t i = 0; i < kContradictions; ++i) {
      if (word == std::string("contradicts=").append(kContradictionInfos[i].word)) {
        return &contradictions[i];
      }
    }
    return nullptr;
  }
};

class LossesReport : public Report {
 public:
  LossesReport() : Report(losses_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    std::map<const TraceIdentity*, KernelsSeen> seen;
    RowsOf<WorkRow> cursor(kKernels, input);
    while (WorkRow* const row = cursor.next()) {
      if (row->is_kernel()) seen[&row->trace()].add(*row);
    }
    PROF_TRY(cursor.status());
    LineWriter<LossesLine> lines(kLossesColumns, request, sink);
    for (std::size_t i = 0; i < input.traces.size(); ++i) {
      const TraceMember& trace = input.traces.members()[i];
      for (LossesLine& line :
           lines_of(trace.reader, input.tally.traces[i], seen[&trace.identity])) {
        line.trace = &trace.identity;
        if (!lines.write(line)) return {};
      }
    }
    return {};
  }

 private:
  static std::vector<LossesLine> lines_of(TraceReader& trace, const Tally::OfTrace& work,
                                          const KernelsSeen& seen) {
    std::vector<LossesLine> lines;
    for (LossLine& loss : recorded_losses(trace)) lines.push_back({.loss = std::move(loss)});
    for (LossLine& loss : attribution_losses(work)) {
      const Seen* const kernels = seen.of(loss.word);
      // Only the kernels that are shown count.
      if (kernels != nullptr) loss.count = kernels->kernels;
      if (loss.count == 0) continue;
      lines.push_back(with_time(std::move(loss), kernels));
    }
    for (const Condition& condition : kConditions) {
      const Seen& kernels = *seen.of(condition.word);
      if (condition.what.empty() || kernels.kernels == 0) continue;
      if (condition.word == "no_step" && work.work.shown_in_steps == 0) continue;
      lines.push_back(with_time({.word = std::string(condition.word),
                                 .kind = condition.kind,
                                 .count = kernels.kernels,
                                 .what = std::string(condition.what),
                                 .line = {},
                                 .advice = condition.advice},
                                &kernels));
    }
    for (const auto& [name, what] : uncertain_peaks(trace)) {
      lines.push_back({.loss = {.word = "peaks",
                                .kind = what == "unknown" ? LossKind::kUnknown : LossKind::kGuess,
                                .count = 1,
                                .what = fmt::format("peak performance of {}: {}", name, what),
                                .line = {},
                                .advice = {}}});
    }
    for (LossesLine& line : lines) line.all_ns = seen.all.time_ns;
    // The lines with most time come first; those without a time keep their order.
    std::ranges::stable_sort(lines, [](const LossesLine& a, const LossesLine& b) {
      return std::pair(a.loss.kind, -a.time_ns.value_or(-1)) <
             std::pair(b.loss.kind, -b.time_ns.value_or(-1));
    });
    return lines;
  }

  /// Kernels without times take an unknown time.
  static LossesLine with_time(LossLine loss, const Seen* kernels) {
    LossesLine line{.loss = std::move(loss)};
    if (kernels == nullptr || kernels->untimed == kernels->kernels) return line;
    line.time_ns = kernels->time_ns;
    line.some_untimed = kernels->untimed > 0;
    return line;
  }
};

}  // namespace

void register_losses(Registry& registry) { registry.add(std::make_unique<LossesReport>()); }

}  // namespace prof::reports
