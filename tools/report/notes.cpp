// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts and warnings about a trace, see notes.hpp.
#include "tools/report/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "analyzers/contradictions.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "libprof/base/counted.hpp"
#include "libprof/model/losses.hpp"
#include "tools/report/capture_notes.hpp"
#include "tools/report/cell.hpp"
#include "tools/report/render/value_text.hpp"

namespace prof::reports {
namespace {

std::string plural(std::string_view noun) {
  const bool hisses = noun.ends_with('s') || noun.ends_with('h');
  return std::string(noun).append(hisses ? "es" : "s");
}

std::string microseconds(std::int64_t time_ns) {
  fmt::memory_buffer out;
  const Column column{.word = "", .header = "", .unit = "", .help = "", .thousands = true};
  append_value(Cell{Decimal{time_ns, 3}}, column, NumberStyle::kForEyes, out);
  return fmt::to_string(out);
}

std::string device_names(TraceReader& trace) {
  std::map<std::string, int> names;
  for (const DeviceRow& device : trace.devices()) ++names[device.name];
  std::string text;
  for (const auto& [name, count] : names) {
    if (!text.empty()) text += ", ";
    if (count > 1) text += fmt::format("{} x ", count);
    text += name.empty() ? "unnamed GPU" : name;
  }
  return text.empty() ? "unknown GPU" : text;
}

// Devices whose peaks are not from a data sheet, which the roofline columns depend on.
void add_peaks(const TraceSet& traces, std::vector<std::string>& facts) {
  std::map<std::string, std::string_view> names;
  for (const TraceMember& trace : traces.members()) {
    for (const DeviceRow& device : trace.reader.devices()) {
      const devices::DevicePeaks peaks = devices::device_peaks(device);
      const std::string name = device.name.empty() ? "unnamed GPU" : device.name;
      if (peaks.source() == "derived") {
        names[name] = "estimated from its multiprocessors and clocks";
      } else if (peaks.source().empty()) {
        names[name] = "unknown";
      }
    }
  }
  for (const auto& [name, what] : names) {
    facts.push_back(fmt::format("peak performance of {}: {}", name, what));
  }
}

std::string shown_line(const Choice& choice, const Tally& tally) {
  const WorkCounts work = tally.work();
  const bool is_part = !choice.all();
  std::string text = "shown: ";
  if (is_part) text += grouped(work.shown_kernels) + " of ";
  text += counted(work.kernels, "kernel", "kernels");
  if (tally.with_copies) {
    text += ", ";
    if (is_part) text += grouped(work.shown_copies) + " of ";
    text += counted(work.copies, "copy or set", "copies and sets");
  }
  if (work.shown_kernels > 0) text += ", " + microseconds(work.shown_kernel_ns) + " us in kernels";
  if (tally.choice.steps.empty()) return text + "; the trace has no steps";
  if (const auto& step = choice.step) {
    const std::vector<StepSpan> missing = step->missing_from(tally.choice.steps);
    if (!step->with_last && missing.size() == step->spans.size()) {
      return text + fmt::format("; no {}; the {} {}", step->to_words(),
                                tally.traces.size() > 1 ? "traces have" : "trace has",
                                tally.choice.steps.to_words());
    }
    if (step->spans.empty()) return text + "; the last of " + tally.choice.steps.to_words();
    text += fmt::format("; {} of {}", step->to_words(), tally.choice.steps.to_text());
    return missing.empty() ? text : text + fmt::format(" (no {})", to_words(missing));
  }
  text += "; " + tally.choice.steps.to_words();
  const std::uint64_t outside = work.shown_kernels - work.shown_in_steps;
  if (outside > 0) text += fmt::format(" ({} in no step)", counted(outside, "kernel", "kernels"));
  return text;
}

std::string capture_line(TraceReader& trace) {
  const std::string ended = trace.meta("ended");
  const std::string mode = trace.meta("api_mode");
  std::string end = "not finished";
  if (ended == "stop") end = "stopped by the program";
  if (ended == "exit") end = "ended with the program";
  // A window ends by what asks for it.
  const auto& captures = trace.captures().rows();
  if (ended == "stop" && !captures.empty()) end = "ended: " + captures.back().closer;
  return fmt::format("{}; CUDA calls recorded: {}", end, mode.empty() ? "unknown" : mode);
}

const LossInfo* find_loss(std::string_view word) {
  const auto found = std::find_if(kLossInfos.begin(), kLossInfos.end(),
                                  [word](const LossInfo& loss) { return loss.word == word; });
  return found == kLossInfos.end() ? nullptr : &*found;
}

// A warning if something is missing, otherwise a fact.
void add_losses(TraceReader& trace, Notes& notes) {
  for (const LossRow& loss : trace.losses()) {
    const LossInfo* known = find_loss(loss.what);
    std::string line =
        known == nullptr
            ? grouped(loss.count).append(" of '").append(loss.what).append("'")
            : counted(loss.count, known->noun, plural(known->noun)).append(" ").append(known->text);
    if (!loss.detail.empty()) line += ": " + loss.detail;
    const bool is_notice = known != nullptr && known->severity == Severity::kNotice;
    (is_notice ? notes.facts : notes.warnings).push_back(std::move(line));
  }
}

void add_unattributed(const WorkCounts& work, const AttributionCounts& counts,
                      std::vector<std::string>& warnings) {
  if (work.shown_unattributed > 0) {
    std::string line = fmt::format("{} of {} without a layer, a direction or a known op",
                                   grouped(work.shown_unattributed),
                                   counted(work.shown_kernels, "kernel", "kernels"));
    if (work.shown_without_op == work.shown_kernels) {
      line += "; the program can name its ops with prof/annotate.hpp";
    }
    warnings.push_back(std::move(line));
  }
  if (counts.unknown_ops.empty()) return;
  constexpr std::size_t kMaxNames = 8;
  std::vector<std::pair<std::string_view, std::uint64_t>> ops(counts.unknown_ops.begin(),
                                                              counts.unknown_ops.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string line = "ops without a model: ";
  for (std::size_t i = 0; i < std::min(ops.size(), kMaxNames); ++i) {
    line += fmt::format("{}{} ({})", i > 0 ? ", " : "", ops[i].first,
                        counted(ops[i].second, "kernel", "kernels"));
  }
  if (ops.size() > kMaxNames) line += ", ...";
  warnings.push_back(std::move(line));
}

/// Backward work whose forward op is uncertain.
void add_links(const LinkCounts& links, std::vector<std::string>& warnings) {
  if (links.missed > 0) {
    warnings.push_back(counted(links.missed, "backward node", "backward nodes") +
                       " without the range of its forward op in the trace: no layer is inherited");
  }
  if (links.other_name > 0) {
    warnings.push_back(counted(links.other_name, "backward node", "backward nodes") +
                       " linked to a forward op by the sequence number alone");
  }
  if (links.ambiguous > 0) {
    warnings.push_back(counted(links.ambiguous, "backward node", "backward nodes") +
                       " whose sequence number several threads used: the last was taken");
  }
}

void add_analysis(const AttributionCounts& counts, std::vector<std::string>& warnings) {
  if (counts.without_launch > 0) {
    warnings.push_back(counted(counts.without_launch, "kernel", "kernels") +
                       " without a recorded launch");
  }
  if (counts.unknown_nodes > 0) {
    warnings.push_back(counted(counts.unknown_nodes, "piece of work", "pieces of work") +
                       " in graphs whose making is not in the trace: attributed by the launches of"
                       " the graphs");
  }
  if (counts.broken_stacks > 0) {
    warnings.push_back(counted(counts.broken_stacks, "launch was", "launches were") +
                       " made under a range that is not in the trace");
  }
  if (counts.deep_stacks > 0) {
    warnings.push_back(counted(counts.deep_stacks, "launch was", "launches were") +
                       " made under more than 1,024 open ranges: the inner ones are ignored");
  }
  if (counts.late > 0) {
    warnings.push_back(counted(counts.late, "kernel", "kernels") +
                       " too late for a share of the op's cost");
  }
  if (counts.malformed_op_texts > 0) {
    warnings.push_back(
        fmt::format("{} like an op but cannot be parsed ({}): {}",
                    counted(counts.malformed_op_texts, "range text looks", "range texts look"),
                    counts.first_malformed_why, counts.first_malformed_text));
  }
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    const ContradictionCount& seen = counts.contradictions[kind];
    if (seen.kernels == 0) continue;
    warnings.push_back(
        fmt::format("{} {} (contradicts={}), first: {}", counted(seen.kernels, "kernel", "kernels"),
                    kContradictionInfos[kind].text, kContradictionInfos[kind].word, seen.first));
  }
  if (counts.batches_without_beginning > 0) {
    warnings.push_back(
        counted(counts.batches_without_beginning, "group of calls", "groups of calls") +
        " with only the end in the trace: the work launched has no op");
  }
  add_links(counts.links, warnings);
}

// "a.db (rank 3)"
std::string name_of(const TraceIdentity& trace) {
  return trace.rank ? fmt::format("{} (rank {})", trace.name, *trace.rank) : trace.name;
}

// What is missing from one trace, and what could not be attributed.
Notes notes_of(TraceReader& trace, const Tally::OfTrace* work) {
  Notes notes;
  const bool killed =
      std::any_of(trace.losses().begin(), trace.losses().end(),
                  [](const auto& row) { return row.what == info(Loss::kKilled).word; });
  if (trace.meta("ended").empty() && !killed) {
    notes.warnings.emplace_back(
        "the capture was killed or is still running: its last moments may be missing");
  }
  if (std::string line = captures_line(trace.captures()); !line.empty()) {
    notes.facts.push_back(std::move(line));
  }
  if (std::string line = unended_line(trace.captures()); !line.empty()) {
    notes.warnings.push_back(std::move(line));
  }
  add_losses(trace, notes);
  if (work == nullptr) return notes;
  add_unattributed(work->work, work->analysis, notes.warnings);
  add_analysis(work->analysis, notes.warnings);
  return notes;
}

/// Traces that were recorded by one process from the same nanosecond on are copies.
bool is_same_recording(TraceReader& a, TraceReader& b) {
  if (a.start_realtime_ns() == 0 || a.start_realtime_ns() != b.start_realtime_ns()) return false;
  return std::ranges::all_of(std::array{"host", "boot_id", "pid", "run_id", "command_line"},
                             [&](const char* key) { return a.meta(key) == b.meta(key); });
}

void add_copies(const TraceSet& traces, bool compares, std::vector<std::string>& warnings) {
  const auto& members = traces.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto first =
        std::find_if(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const TraceMember& member) {
                       return member.identity.rank == members[i].identity.rank &&
                              is_same_recording(member.reader, members[i].reader);
                     });
    if (first == members.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    warnings.push_back(fmt::format("{} is another copy of the recording in {}{}",
                                   members[i].identity.name, first->identity.name,
                                   compares ? "" : ": it counts twice"));
  }
}

void add_shown(const Choice& choice, const Tally& tally, std::vector<std::string>& facts) {
  const std::string in = choice.captures ? "; " + choice.captures->to_words("capture") : "";
  if (!tally.rows.empty()) {
    const std::string of = choice.all() ? "" : grouped(tally.shown_count) + " of ";
    facts.push_back("shown: " + of + counted(tally.row_count, tally.row, tally.rows) + in);
  } else if (!tally.traces.empty()) {
    facts.push_back(shown_line(choice, tally) + in);
  }
  if (tally.folded_lines > 0) {
    facts.emplace_back(
        "numbered layers are added up, such as h.0 and h.1 as h.*; --flat shows each");
  }
}

/// Of reports that do not tell the steps of the GPU work shown.
void add_steps(const Choice& choice, const Tally& tally, std::vector<std::string>& warnings) {
  if (!choice.step || !tally.traces.empty()) return;
  const StepSet& steps = tally.choice.steps;
  if (steps.empty()) {
    warnings.emplace_back("--step chooses nothing: nothing that the report reads is in a step");
  } else if (const auto missing = choice.step->missing_from(steps); !missing.empty()) {
    warnings.push_back("--step: no " + to_words(missing) + "; there are " + steps.to_words());
  }
}

void add_emptiness(const TraceSet& traces, const Tally& tally, std::vector<std::string>& facts) {
  if (tally.traces.empty()) return;
  const WorkCounts work = tally.work();
  if (work.kernels == 0 && work.copies == 0) {
    facts.emplace_back(traces.size() > 1 ? "the traces contain no GPU kernels"
                                         : "the trace contains no GPU kernels");
  } else if (work.shown_kernels == 0 && work.shown_copies == 0) {
    facts.emplace_back("nothing to show");
  }
}

}  // namespace

Notes make_notes(const TraceSet& traces, const Choice& choice, const Tally& tally) {
  const bool several = traces.size() > 1;
  Notes notes;
  for (const auto& [reader, identity] : traces.members()) {
    notes.facts.push_back("trace: " + (several ? name_of(identity) : reader.path()) + ", " +
                          device_names(reader));
  }
  add_peaks(traces, notes.facts);
  notes.facts.insert(notes.facts.end(), tally.remarks.begin(), tally.remarks.end());
  add_shown(choice, tally, notes.facts);
  notes.warnings = tally.choice.warnings(choice);
  add_copies(traces, tally.compares, notes.warnings);
  add_steps(choice, tally, notes.warnings);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto& [reader, identity] = traces.members()[i];
    const std::string of = several ? " of " + identity.name : "";
    notes.facts.push_back("capture" + of + ": " + capture_line(reader));
  }
  add_emptiness(traces, tally, notes.facts);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto& [reader, identity] = traces.members()[i];
    const std::string prefix = several ? identity.name + ": " : "";
    const Notes own = notes_of(reader, tally.traces.empty() ? nullptr : &tally.traces[i]);
    for (const std::string& fact : own.facts) notes.facts.push_back(prefix + fact);
    for (const std::string& warning : own.warnings) notes.warnings.push_back(prefix + warning);
  }
  return notes;
}

void add_notes(const Notes& notes, Notes& to) {
  const auto add = [](const std::vector<std::string>& from, std::vector<std::string>& lines) {
    for (const std::string& line : from) {
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  };
  add(notes.facts, to.facts);
  add(notes.warnings, to.warnings);
}

}  // namespace prof::reports
