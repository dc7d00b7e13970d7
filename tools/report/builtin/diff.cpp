// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `diff`: what changed from one side of traces to the other. compare/ finds it; this file
// makes lines of it. docs/diff.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>
#include "tools/report/query/line_columns.hpp"
#include "tools/report/rows/time_cells.hpp"

#include "libprof/base/count_text.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/step_sentence.hpp"
#include "tools/report/compare/changes.hpp"
#include "tools/report/compare/period_limit.hpp"
#include "tools/report/compare/sides.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxKernelsShown = 3;
/// Differences of which nothing can be said; a table has the largest.
constexpr std::size_t kMaxUnknown = 10;
/// If there are more GPUs, a table has those that changed most.
constexpr std::size_t kMaxGpus = 4;
constexpr double kLeastRankWait =
    0.01;  // of the period: a table leaves out shorter waits for ranks

struct DiffLine {
  std::string gpu;  ///< Empty: there is only one.
  const GpuPair* pair = nullptr;
  std::string_view what;
  const GroupKey* key = nullptr;
  const GroupKey* base_key = nullptr;
  std::optional<double> base_ns, fresh_ns, change_pct, beyond_pct, p_value, low_pct, high_pct;
  std::string_view verdict;  // of the period
  std::string detail, base_kernels, fresh_kernels, why, sentence, unlike;

  [[nodiscard]] std::optional<double> difference_ns() const {
    const bool is_group = key != nullptr;
    if (!base_ns && !fresh_ns) return std::nullopt;
    if (!is_group && (!base_ns || !fresh_ns)) return std::nullopt;
    return fresh_ns.value_or(0) - base_ns.value_or(0);
  }
};

Cell of_name(const DiffLine& line, std::string GroupName::*member) {
  return line.key != nullptr ? text(line.key->name->*member) : absent();
}

// clang-format off
constexpr std::array<LineColumn<DiffLine>, 25> kDiffColumns = {{
    {Column::text("gpu", "GPU", "rank and CUDA device number, if several GPUs are compared").placed(Column::Place::kHeading), [](const DiffLine& l) { return text(l.gpu); }},
    {Column::text("change", "Change", "period: the step's period, shift: what all ops have in common; waits: for other ranks, computing nothing, late: how long the rank that waits longest waits for this one; of an op slower, faster, kernel (other kernels), moved (from another layer), added, removed or same; absent: unknown"), [](const DiffLine& l) { return text(l.what, Why::kUndecided); }},
    {Column::text("layer", "Layer", "path of the layers, separated by ':'").cut_front(10), [](const DiffLine& l) { return of_name(l, &GroupName::layer); }},
    {Column::text("op", "Op", "op; absent: work outside of ops, by its kernel").cut_end(8), [](const DiffLine& l) { return of_name(l, &GroupName::op); }},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)").drop(2), [](const DiffLine& l) { return of_name(l, &GroupName::direction); }},
    {Column::text("params", "Params", "sizes of the matrix product, or shapes").styled(Column::Style::kTensors).cut_end(12).drop(6), [](const DiffLine& l) { return of_name(l, &GroupName::params); }},
    {Column::time("base_ns", "Base", "GPU time in a step, before: the median of the steady steps, of several captures the median of theirs; collectives without waits, if other ranks are known; of waits and late the mean of the steps", Column::Type::kReal), [](const DiffLine& l) { return real(l.base_ns); }},
    {Column::time("new_ns", "New", "GPU time in a step, after", Column::Type::kReal).drop(1), [](const DiffLine& l) { return real(l.fresh_ns); }},
    {Column::time("diff_ns", "Diff", "new less base", Column::Type::kReal), [](const DiffLine& l) { return real(l.difference_ns()); }},
    {Column::real("diff_pct", "Diff", "%", "of base", 1), [](const DiffLine& l) { return real(l.change_pct); }},
    {Column::real("beyond_pct", "Beyond shift", "%", "difference beyond the common shift, which decides", 1), [](const DiffLine& l) { return real(l.beyond_pct); }},
    {Column::real("p", "p", "", "how likely ops that did not change show such a difference, corrected for the number of ops", 4).drop(5), [](const DiffLine& l) { return real(l.p_value); }},
    {Column::text("detail", "Detail", "of period its verdict, and of period and shift what they are the medians of; of waits for which rank; of changed kernels and layers both").wrap(12).drop(7), [](const DiffLine& l) { return text(l.detail); }},
    {Column::integer("nth", "Nth", "", "which one of the step's ops with the same layer, op, direction and params"), [](const DiffLine& l) { return l.key != nullptr && l.key->name->kernel.empty() ? number(l.key->nth + 1) : absent(); }},
    {Column::text("base_layer", "Base layer", "layer before it moved").cut_front(10), [](const DiffLine& l) { return l.base_key != nullptr ? text(l.base_key->name->layer) : absent(); }},
    {Column::text("base_kernels", "Base kernels", "names of its kernels before").cut_end(12), [](const DiffLine& l) { return text(l.base_kernels); }},
    {Column::text("new_kernels", "New kernels", "names of its kernels after").cut_end(12), [](const DiffLine& l) { return text(l.fresh_kernels); }},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), [](const DiffLine& l) { return l.pair->rank ? number(*l.pair->rank) : absent(); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](const DiffLine& l) { return number(l.pair->device); }},
    {Column::text("why", "Why", "of late, why the rank is").placed(Column::Place::kBelow), [](const DiffLine& l) { return text(l.why); }},
    {Column::text("verdict", "Verdict", "of period: slower, faster or same; absent: cannot be decided, or the line is of no period"), [](const DiffLine& l) { return text(l.verdict, l.what == "period" ? Why::kUndecided : Why::kUnstated); }},
    {Column::real("low_pct", "Low", "%", "of period: its change is between this and high_pct, with a chance of 95 %", 1), [](const DiffLine& l) { return real(l.low_pct); }},
    {Column::real("high_pct", "High", "%", "see low_pct", 1), [](const DiffLine& l) { return real(l.high_pct); }},
    {Column::text("unlike", "Unlike", "of the period of the GPU whose step changed most: what of the sides is not alike, such as their GPUs or ranks").placed(Column::Place::kHeading), [](const DiffLine& l) { return text(l.unlike); }},
    {Column::text("sentence", "Sentence", "likewise: the step before and after, its verdict, and what most of the change is").placed(Column::Place::kHeading), [](const DiffLine& l) { return text(l.sentence); }},
}};
// clang-format on

ReportInfo diff_info() {
  ReportInfo info{.name = "diff",
                  .help = "what changed between two captures, or two sides of several",
                  .missing = "no GPU has steps on both sides",
                  .rows = "GPU work of two sides",
                  .has_steps = true,
                  .is_comparison = true,
                  .reads_work = 2,
                  .reads_timeline = true,
                  .row_words = {"capture"}};
  add_columns(kDiffColumns, info,
              "unlike,sentence,gpu,change,layer,op,dir,params,base_ns,new_ns,diff_ns,diff_pct,p,"
              "detail,why");
  info.machine.erase(info.machine.begin());  // The GPU's name; it has columns for rank and number.
  return info;
}

/// "a", "a + b", "a + b + c + ...".
std::string kernels_text(StepKernels kernels, std::string KernelName::*name, std::size_t most) {
  std::string found;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    found.append(i > 0 ? " + " : "").append(i < most ? kernels[i]->*name : "...");
    if (i == most) break;
  }
  return found;
}

/// Short names, unless only full ones differ.
std::string kernels_change(const Change& change) {
  const auto shown = [](StepKernels kernels, std::string KernelName::*name) {
    return kernels_text(kernels, name, kMaxKernelsShown);
  };
  const std::string before = shown(change.base_kernels, &KernelName::short_name);
  const std::string after = shown(change.fresh_kernels, &KernelName::short_name);
  if (before != after) return before + " → " + after;
  return shown(change.base_kernels, &KernelName::full) + " → " +
         shown(change.fresh_kernels, &KernelName::full);
}

std::string detail_of(const Change& change) {
  switch (change.kind) {
    case ChangeKind::kKernel:
      return kernels_change(change);
    case ChangeKind::kMoved:
      return "from " +
             (change.base_key->name->layer.empty() ? "no layer" : change.base_key->name->layer);
    case ChangeKind::kAdded:
      return kernels_text(change.fresh_kernels, &KernelName::short_name, kMaxKernelsShown);
    case ChangeKind::kRemoved:
      return kernels_text(change.base_kernels, &KernelName::short_name, kMaxKernelsShown);
    default:
      break;
  }
  return change.key->name->kernel.empty()
             ? ""
             : kernels_text(change.fresh_kernels, &KernelName::short_name, kMaxKernelsShown);
}

std::string_view word_of(ChangeKind verdict) {
  return verdict == ChangeKind::kUnknown ? "undecided" : name(verdict);
}

DiffLine period_line(const ComparedGpu& compared) {
  DiffLine line;
  line.what = "period";
  line.base_ns = compared.base_period_ns;
  line.fresh_ns = compared.fresh_period_ns;
  line.change_pct = compared.period_change_pct();
  line.verdict = name(compared.verdict);
  line.detail = fmt::format("{}, {}", word_of(compared.verdict), compared.steps_text());
  if (!compared.period.is_decided()) return line;
  line.p_value = compared.period_p;
  const double change = compared.period.change(), reach = compared.period.reach(kLevel);
  line.low_pct = 100 * std::expm1(change - reach);
  line.high_pct = 100 * std::expm1(change + reach);
  return line;
}

DiffLine shift_line(const ComparedGpu& compared) {
  const CommonShift& shift = compared.shift;
  DiffLine line;
  line.what = "shift";
  if (shift.groups == 0) {
    line.detail = "no op is on both sides";
    return line;
  }
  line.change_pct = 100 * std::expm1(shift.shift);
  line.detail = "median of " + count_text(shift.groups, "op", "ops");
  if (shift.by_clocks) {
    line.detail += fmt::format(", SM clock {:+.1f} %", 100 * std::expm1(0 - *shift.by_clocks));
  }
  return line;
}

/// Waits for other ranks, and theirs for this one.
std::vector<DiffLine> wait_lines(const ComparedGpu& compared, bool for_people) {
  std::vector<DiffLine> lines;
  if (!compared.waits) return lines;
  const ChangedWaits& waits = *compared.waits;
  const double least_ns =
      kLeastRankWait * std::max(compared.base_period_ns, compared.fresh_period_ns);
  const auto add = [&](std::string_view what, double base_ns, double fresh_ns, std::string detail,
                       std::string why) {
    if (for_people && std::max(base_ns, fresh_ns) < least_ns) return;
    DiffLine line;
    line.what = what;
    line.base_ns = base_ns;
    line.fresh_ns = fresh_ns;
    if (base_ns >= least_ns) line.change_pct = 100 * (fresh_ns / base_ns - 1);
    line.detail = std::move(detail);
    line.why = std::move(why);
    lines.push_back(std::move(line));
  };
  const std::string& waits_for = waits.waiting->waits_for;
  add("waits", waits.base_ns, waits.fresh_ns, waits_for.empty() ? "" : "for " + waits_for, "");
  add("late", waits.base_waited_for_ns, waits.fresh_waited_for_ns, "", waits.late->cause);
  return lines;
}

DiffLine line_of(const Change& change) {
  DiffLine line;
  line.what = name(change.kind);
  line.key = change.key;
  line.base_key = change.base_key;
  line.base_ns = change.base_ns;
  line.fresh_ns = change.fresh_ns;
  if (change.base_ns && change.fresh_ns && *change.base_ns > 0) {
    line.change_pct = 100 * (*change.fresh_ns / *change.base_ns - 1);
  }
  line.beyond_pct = change.beyond_pct;
  line.p_value = change.p_value;
  line.detail = detail_of(change);
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  line.base_kernels = kernels_text(change.base_kernels, &KernelName::full, kAll);
  line.fresh_kernels = kernels_text(change.fresh_kernels, &KernelName::full, kAll);
  return line;
}

bool is_unknown(const Change& change) { return change.kind == ChangeKind::kUnknown; }

/// The changes that are printed: people see what changed, and the largest of what may have.
std::vector<const Change*> shown_of(const ComparedGpu& compared, const Request& request) {
  std::vector<const Change*> shown;
  std::size_t unknown = 0;
  for (const Change& change : compared.changes) {
    const bool is_same = change.kind == ChangeKind::kSame;
    const bool is_minor = is_unknown(change) && !request.lines_chosen &&
                          (change.difference_ns() == 0 || ++unknown > kMaxUnknown);
    if (!request.for_people || (!is_same && !is_minor)) shown.push_back(&change);
  }
  return shown;
}

/// How much of a GPU's own work changed, and of what others wait for it.
double own_change_ns(const ComparedGpu& compared) {
  double changed_ns = 0;
  for (const Change& change : compared.changes) {
    if (change.kind == ChangeKind::kSame || is_unknown(change)) continue;
    changed_ns += std::abs(change.difference_ns());
  }
  if (!compared.waits) return changed_ns;
  return changed_ns +
         std::abs(compared.waits->fresh_waited_for_ns - compared.waits->base_waited_for_ns);
}

/// The GPUs that are printed, in order: of many, people see those whose own part changed most.
std::vector<const ComparedGpu*> shown_of(const std::vector<ComparedGpu>& compared,
                                         const Request& request,
                                         std::vector<std::string>& remarks) {
  std::vector<const ComparedGpu*> shown;
  for (const ComparedGpu& one : compared) shown.push_back(&one);
  if (!request.for_people || request.lines_chosen || shown.size() <= kMaxGpus) return shown;
  std::ranges::stable_sort(shown, std::greater{},
                           [](const ComparedGpu* one) { return own_change_ns(*one); });
  shown.resize(kMaxGpus);
  std::ranges::sort(shown);
  remarks.push_back(
      fmt::format("diff: of {} GPUs, the {} are shown whose own work, and what others "
                  "wait for it, changed most; -f csv has all",
                  compared.size(), kMaxGpus));
  return shown;
}

/// Adds the remarks below the table.
void add_remarks(const ComparedGpu& compared, const std::string& gpu, const Request& request,
                 std::vector<std::string>& remarks) {
  const std::string of = gpu.empty() ? "diff: " : "diff of " + gpu + ": ";
  if (!compared.why_unknown.empty()) {
    remarks.push_back(of + "which times changed is unknown: " + compared.why_unknown);
  }
  const auto unknown =
      static_cast<std::uint64_t>(std::ranges::count_if(compared.changes, is_unknown));
  if (compared.undecided > 0) {
    remarks.push_back(fmt::format(
        "{}of {} that {} it cannot be decided among {}{}", of,
        count_text(compared.undecided, "op", "ops"), compared.undecided == 1 ? "differs" : "differ",
        count_text(compared.tests, "op", "ops"),
        compared.steps_needed > 0
            ? fmt::format("; {} steps a side would do for the largest", compared.steps_needed)
            : "; capture each side three times"));
  }
  if (request.for_people && !request.lines_chosen && unknown > kMaxUnknown) {
    remarks.push_back(
        fmt::format("{}of {} without a verdict the {} that differ most are shown; -f "
                    "csv has all",
                    of, count_text(unknown, "op", "ops"), kMaxUnknown));
  }
  const auto same = static_cast<std::uint64_t>(
      std::ranges::count(compared.changes, ChangeKind::kSame, &Change::kind));
  if (same == compared.changes.size() && same > 0) {
    remarks.push_back(of + "no difference in " + count_text(same, "op", "ops"));
  } else if (request.for_people && same > 0) {
    remarks.push_back(of + count_text(same, "op is", "ops are") +
                      " the same, and not shown; -f csv has all");
  }
  if (compared.rare > 0) {
    remarks.push_back(of + count_text(compared.rare, "op", "ops") +
                      " that under half of the steps have, on either side, not compared");
  }
}

using GpuCaptures = std::vector<std::unique_ptr<GpuCapture>>;

/// Traces without steps are left out, because their captured time is no step, unless none has any.
void leave_out_without_steps(GpuCaptures& captures, const RowInput& input) {
  const auto has_steps = [](const auto& one) { return one->typical.has_steps; };
  if (std::ranges::none_of(captures, has_steps)) return;
  for (const auto& one : captures) {
    if (has_steps(one)) continue;
    input.tally.warnings.push_back(
        fmt::format("diff: {} has no steps, and what it has cannot be compared with a step: mark "
                    "steps, or name them with --step-range",
                    input.traces.members()[one->trace].identity.name));
  }
  std::erase_if(captures, std::not_fn(has_steps));
}

class Diff : public Report {
 public:
  Diff() : Report(diff_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    input.tally.compares = true;
    auto captures = read_gpu_captures(input);
    if (!captures) return captures.error();
    leave_out_without_steps(*captures, input);
    const GpuPairs pairs = pair_gpus(*captures, request.base_traces);
    const std::vector<ComparedGpu> compared = find_changes(pairs.both);
    std::vector<std::string>& remarks = input.tally.remarks;
    const bool is_itself = are_same_files(input.traces, request.base_traces);
    if (is_itself) {
      remarks.push_back(fmt::format("diff: both sides are the same {}: nothing changed",
                                    input.traces.size() > 2 ? "files" : "file"));
    } else if (request.limit_pct) {
      const auto& alone = pairs.base_alone.empty() ? pairs.fresh_alone : pairs.base_alone;
      input.tally.limit =
          judge_limit(compared, alone.empty() ? "" : alone.front(), *request.limit_pct);
    }
    for (const std::string& line : unlike_sides(input.traces, request.base_traces, pairs)) {
      input.tally.warnings.push_back("diff: " + line);
    }
    const StepSentence step = is_itself ? StepSentence() : step_sentence(compared);
    const std::string unlike =
        input.tally.warnings.empty()
            ? ""
            : fmt::format("warning: {}.", fmt::join(input.tally.warnings, "; "));
    LineWriter<DiffLine> lines(kDiffColumns, request, sink);
    for (const ComparedGpu* const shown : shown_of(compared, request, remarks)) {
      const ComparedGpu& one = *shown;
      const std::string gpu = compared.size() > 1 ? one.pair->name() : "";
      if (!is_itself) add_remarks(one, gpu, request, remarks);
      const auto write = [&](DiffLine line) {
        line.gpu = gpu;
        line.pair = one.pair;
        // Above the table they are headings, which all its lines share.
        if (request.for_people || (&one == step.gpu && line.what == "period")) {
          line.sentence = step.text;
          line.unlike = unlike;
        }
        return lines.write(line);
      };
      if (!write(period_line(one)) || !write(shift_line(one))) return {};
      for (DiffLine& line : wait_lines(one, request.for_people)) {
        if (!write(line)) return {};
      }
      for (const Change* const change : shown_of(one, request)) {
        if (!write(line_of(*change))) return {};
      }
    }
    return {};
  }
};

}  // namespace

void register_diff(Registry& registry) { registry.add(std::make_unique<Diff>()); }

}  // namespace prof::reports
