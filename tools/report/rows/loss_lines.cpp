// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/loss_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzers/checks/contradictions.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/model/loss_text.hpp"
#include "libprof/model/losses.hpp"
#include "tools/report/rows/capture_notes.hpp"

namespace prof::reports {
namespace {

LossLine recorded_loss(const LossRow& loss) {
  LossLine made{.word = loss.what, .count = loss.count, .what = {}, .line = {}, .advice = {}};
  const LossInfo* known = find_loss(loss.what);
  if (known == nullptr) {
    made.what = "'" + loss.what + "'";
    made.line = grouped(loss.count).append(" of ").append(made.what);
  } else {
    if (known->severity == Severity::kNotice) made.kind = LossKind::kNotice;
    made.what = lost_things(*known);
    made.line = counted_loss(*known, loss.count);
    made.advice = known->advice;
  }
  if (loss.detail.empty()) return made;
  made.what += ": " + loss.detail;
  made.line += ": " + loss.detail;
  return made;
}

/// Lines whose count is 0 are left out.
class LossLines {
 public:
  void add(std::string_view word, LossKind kind, std::uint64_t count, std::string_view one,
           std::string_view many, std::string_view text, std::string_view advice = {}) {
    if (count == 0) return;
    lines_.push_back({.word = std::string(word),
                      .kind = kind,
                      .count = count,
                      .what = std::string(many).append(text),
                      .line = count_text(count, one, many).append(text),
                      .advice = advice});
  }
  void add(LossLine line) { lines_.push_back(std::move(line)); }
  [[nodiscard]] std::vector<LossLine> take() { return std::move(lines_); }

 private:
  std::vector<LossLine> lines_;
};

bool are_layers_in_reach(const AttributionCounts& counts) {
  std::uint64_t kernels = counts.in_process_ranges;
  for (const auto& [domain, inside] : counts.in_unread_domains) kernels += inside;
  return kernels != 0 && kernels == counts.without_layer;
}

/// Options that give layers to kernels without one.
void add_layers_in_reach(const AttributionCounts& counts, LossLines& lines) {
  constexpr std::string_view kOne = "kernel without a layer is",
                             kMany = "kernels without a layer are";
  for (const auto& [domain, kernels] : counts.in_unread_domains) {
    lines.add("unread_domain", LossKind::kNotice, kernels, kOne, kMany,
              fmt::format(" in ranges of domain {0}, which --domain {0} reads as layers", domain),
              "read them: --domain");
  }
  lines.add("process_range", LossKind::kNotice, counts.in_process_ranges, kOne, kMany,
            " launched in ranges of the process, which --process-ranges reads as layers",
            "read them: --process-ranges");
}

void add_unattributed(const WorkCounts& work, bool are_layers_in_reach, LossLines& lines) {
  if (work.shown_unattributed == 0) return;
  LossLine made{.word = std::string(kUnattributed),
                .kind = LossKind::kUnknown,
                .count = work.shown_unattributed,
                .what = "kernels without a layer, a direction or a known op",
                .line = fmt::format("{} of {} without a layer, a direction or a known op",
                                    grouped(work.shown_unattributed),
                                    count_text(work.shown_kernels, "kernel", "kernels")),
                .advice = "name it: docs/annotate.md"};
  if (work.shown_without_op == work.shown_kernels && !are_layers_in_reach) {
    made.line += "; prof-run --trace all records library calls, and prof/annotate.hpp names ops";
  }
  lines.add(std::move(made));
}

void add_unknown_ops(const AttributionCounts& counts, LossLines& lines) {
  if (counts.unknown_ops.empty()) return;
  constexpr std::size_t kMaxNames = 8;
  std::vector<std::pair<std::string_view, std::uint64_t>> ops(counts.unknown_ops.begin(),
                                                              counts.unknown_ops.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  LossLine made{.word = "unknown_op",
                .kind = LossKind::kUnknown,
                .what = {},
                .line = {},
                .advice = "add a model: docs/add.md"};
  for (const auto& [op, kernels] : ops) made.count += kernels;
  std::string names;
  for (std::size_t i = 0; i < std::min(ops.size(), kMaxNames); ++i) {
    names += fmt::format("{}{} ({})", i > 0 ? ", " : "", ops[i].first,
                         count_text(ops[i].second, "kernel", "kernels"));
  }
  if (ops.size() > kMaxNames) names += ", ...";
  made.what = "kernels of ops without a model: " + names;
  made.line = "ops without a model: " + names;
  lines.add(std::move(made));
}

/// Compiled code whose kernels are attributed by their names alone.
void add_compiled(const CompiledCounts& counts, LossLines& lines) {
  lines.add("no_code", LossKind::kUnknown, counts.without_code, "kernel", "kernels",
            " of compiled graphs whose code is not in the trace: no layer inside the graph",
            "capture from before the first call of the graph");
  lines.add("unmatched_code", LossKind::kUnknown, counts.unmatched, "kernel", "kernels",
            " that the code of their compiled graph does not launch there, first in graph " +
                counts.first_graph + ": no layer inside the graph");
  lines.add("unplaced_code", LossKind::kUnknown, counts.unplaced, "kernel", "kernels",
            " of compiled graphs without a table of their nodes: no layer inside the graph",
            "keep the folder of Inductor's cache whole");
  lines.add("damaged_document", LossKind::kUnknown, counts.damaged, "document", "documents",
            " of compiled graphs that cannot be read");
}

/// Backward work whose forward op is uncertain.
void add_links(const LinkCounts& links, LossLines& lines) {
  lines.add("missed_link", LossKind::kUnknown, links.missed, "backward node", "backward nodes",
            " without the range of its forward op in the trace: no layer is inherited",
            "capture the forward pass, too");
  lines.add("other_name", LossKind::kGuess, links.other_name, "backward node", "backward nodes",
            " linked to a forward op by the sequence number alone");
  lines.add("ambiguous_link", LossKind::kGuess, links.ambiguous, "backward node", "backward nodes",
            " whose sequence number several threads used: the last was taken");
}

void add_contradictions(const AttributionCounts& counts, LossLines& lines) {
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    const ContradictionCount& seen = counts.contradictions[kind];
    const ContradictionInfo& info = kContradictionInfos[kind];
    if (info.text.empty()) continue;
    lines.add(fmt::format("contradicts={}", info.word), LossKind::kGuess, seen.kernels, "kernel",
              "kernels",
              fmt::format(" {} (contradicts={}), first: {}", info.text, info.word, seen.first),
              "see docs/reports.md, Where op and kernel contradict each other");
  }
}

}  // namespace

std::string_view name(LossKind kind) {
  switch (kind) {
    case LossKind::kLost:
      return "lost";
    case LossKind::kUnknown:
      return "unknown";
    case LossKind::kGuess:
      return "guess";
    case LossKind::kNotice:
      return "notice";
  }
  return {};
}

std::vector<LossLine> recorded_losses(TraceReader& trace) {
  LossLines lines;
  const bool killed =
      std::any_of(trace.losses().begin(), trace.losses().end(),
                  [](const auto& row) { return row.what == info(Loss::kKilled).word; });
  if (trace.meta("ended").empty() && !killed) {
    constexpr std::string_view kText =
        "the capture was killed or is still running: its last moments may be missing";
    lines.add({.word = std::string(info(Loss::kKilled).word),
               .count = 1,
               .what = std::string(kText),
               .line = std::string(kText),
               .advice = info(Loss::kKilled).advice});
  }
  if (const std::string text = unended_line(trace.captures()); !text.empty()) {
    lines.add({.word = "not_ended", .count = 1, .what = text, .line = text, .advice = {}});
  }
  if (const std::string unseen = trace.meta("library_calls_unseen"); !unseen.empty()) {
    const std::string text = "no call of " + unseen +
                             " was seen: the program makes none, is linked with the static "
                             "library, or found its functions another way";
    lines.add({.word = "library_calls_unseen",
               .kind = LossKind::kNotice,
               .count = 1,
               .what = text,
               .line = text,
               .advice = "docs/capture.md"});
  }
  for (const LossRow& loss : trace.losses()) lines.add(recorded_loss(loss));
  return lines.take();
}

std::vector<LossLine> attribution_losses(const Tally::OfTrace& work) {
  const AttributionCounts& counts = work.analysis;
  LossLines lines;
  add_unattributed(work.work, are_layers_in_reach(counts), lines);
  add_unknown_ops(counts, lines);
  lines.add("no_launch", LossKind::kUnknown, counts.without_launch, "kernel", "kernels",
            " without a recorded launch", info(Loss::kRecordWithoutLaunch).advice);
  lines.add("before_launch", LossKind::kNotice, counts.before_launch, "kernel starts",
            "kernels start",
            " before the launching call: the clocks of CPU and GPU are apart by then",
            "delays of launches may be inexact");
  for (const auto& [library, kernels] : counts.of_unseen_libraries) {
    lines.add(
        "unseen_calls", LossKind::kUnknown, kernels, "kernel has a name", "kernels have names",
        " of " + library + ", of which no call was seen: linked statically, or found another way",
        "docs/capture.md, Calls of libraries");
  }
  add_layers_in_reach(counts, lines);
  lines.add("repeated", LossKind::kNotice, counts.repeated, "kernel is", "kernels are",
            " in steps that were not marked: known by the marked steps that they repeat");
  lines.add("unmarked", LossKind::kUnknown, counts.unmarked, "kernel is", "kernels are",
            " in steps that were not marked and repeat no marked step",
            "mark more steps: --mark-every of prof_torch");
  lines.add("unknown_node", LossKind::kGuess, counts.unknown_nodes, "piece of work",
            "pieces of work",
            " in graphs whose making is not in the trace: attributed by the launches of the graphs",
            info(Loss::kUnwatchedBody).advice);
  lines.add("broken_stack", LossKind::kUnknown, counts.broken_stacks, "launch was", "launches were",
            " made under a range that is not in the trace");
  lines.add("deep_stack", LossKind::kUnknown, counts.deep_stacks, "launch was", "launches were",
            " made under more than 1,024 open ranges: the inner ones are ignored",
            info(Loss::kStackTooDeep).advice);
  lines.add("late", LossKind::kUnknown, counts.late, "kernel", "kernels",
            " too late for a share of the op's cost");
  lines.add("malformed_op", LossKind::kUnknown, counts.malformed_op_texts, "range text looks",
            "range texts look",
            fmt::format(" like an op but cannot be parsed ({}): {}", counts.first_malformed_why,
                        counts.first_malformed_text),
            "docs/annotate.md has the form");
  add_contradictions(counts, lines);
  lines.add("no_group_calls", LossKind::kUnknown, counts.batches_without_beginning,
            "group of calls", "groups of calls",
            " with only the end in the trace: the work launched has no op",
            "start the capture before the group");
  add_links(counts.links, lines);
  add_compiled(counts.compiled, lines);
  return lines.take();
}

std::map<std::string, std::string> uncertain_peaks(TraceReader& trace) {
  std::map<std::string, std::string> names;
  for (const DeviceRow& device : trace.devices()) {
    const devices::DevicePeaks peaks = devices::device_peaks(device);
    const std::string name = device.name.empty() ? "unnamed GPU" : device.name;
    if (peaks.source() == "derived") {
      names[name] = "estimated from its multiprocessors and clocks";
    } else if (!peaks.nearest().empty()) {
      names[name] = std::string("estimated, as those of ").append(peaks.nearest());
    } else if (peaks.bytes() && peaks.bytes()->basis == Basis::kEstimated) {
      names[name] = "estimated by its part of the compute units";
    } else if (peaks.source().empty()) {
      names[name] = "unknown";
    }
  }
  return names;
}

}  // namespace prof::reports
