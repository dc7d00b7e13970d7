// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts and warnings about a trace, see notes.hpp.
#include "tools/report/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analyzers/contradictions.hpp"
#include "analyzers/devices/device_peaks.hpp"
#include "libprof/model/losses.hpp"
#include "tools/report/cell.hpp"
#include "tools/report/render/value_text.hpp"

namespace prof::reports {
namespace {

std::string grouped(std::uint64_t value) {
  fmt::memory_buffer out;
  const Column column{.word = "", .header = "", .unit = "", .help = "", .thousands = true};
  append_value(Cell{std::in_place_type<std::uint64_t>, value}, column, NumberStyle::kForEyes, out);
  return fmt::to_string(out);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return grouped(count).append(" ").append(count == 1 ? one : many);
}

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
    text += name.empty() ? "GPU without a name" : name;
  }
  return text.empty() ? "GPU not known" : text;
}

// Where the roofline columns rest on less than a data sheet.
void add_peaks(TraceReader& trace, std::vector<std::string>& facts) {
  std::map<std::string, std::string_view> names;
  for (const DeviceRow& device : trace.devices()) {
    const devices::DevicePeaks peaks = devices::device_peaks(device);
    const std::string name = device.name.empty() ? "GPU without a name" : device.name;
    if (peaks.source() == "derived") {
      names[name] = "estimated from its multiprocessors and clocks";
    } else if (peaks.source().empty()) {
      names[name] = "not known";
    }
  }
  for (const auto& [name, what] : names) {
    facts.push_back(fmt::format("peak performance of {}: {}", name, what));
  }
}

std::string shown_line(TraceReader::Work work, std::optional<std::int64_t> step,
                       const Tally& tally) {
  std::string text = "shown: ";
  if (step) text += grouped(tally.shown_kernels) + " of ";
  text += counted(tally.kernels, "kernel", "kernels");
  if (work == TraceReader::Work::kKernelsAndCopies) {
    text += ", ";
    if (step) text += grouped(tally.shown_copies) + " of ";
    text += counted(tally.copies, "copy or set", "copies and sets");
  }
  if (tally.shown_kernels > 0)
    text += ", " + microseconds(tally.shown_kernel_ns) + " us in kernels";
  if (tally.steps.empty()) return text + "; the trace has no steps";
  if (step) return text + fmt::format("; step {} of {}", *step, tally.steps.to_text());
  text += "; steps " + tally.steps.to_text();
  const std::uint64_t outside = tally.shown_kernels - tally.shown_in_steps;
  if (outside > 0) text += fmt::format(" ({} in no step)", counted(outside, "kernel", "kernels"));
  return text;
}

std::string capture_line(TraceReader& trace) {
  const std::string ended = trace.meta("ended");
  const std::string mode = trace.meta("api_mode");
  std::string end = "not ended";
  if (ended == "stop") end = "stopped by the program";
  if (ended == "exit") end = "ended with the program";
  return fmt::format("capture: {}; CUDA calls recorded: {}", end,
                     mode.empty() ? "not known" : mode);
}

const LossInfo* find_loss(std::string_view word) {
  const auto found = std::find_if(kLossInfos.begin(), kLossInfos.end(),
                                  [word](const LossInfo& loss) { return loss.word == word; });
  return found == kLossInfos.end() ? nullptr : &*found;
}

// Where something is missing, a warning; else a fact.
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

void add_unattributed(const Tally& tally, const AttributionCounts& counts,
                      std::vector<std::string>& warnings) {
  if (tally.shown_unattributed > 0) {
    std::string line = fmt::format("{} of {} without a layer, a direction or a known op",
                                   grouped(tally.shown_unattributed),
                                   counted(tally.shown_kernels, "kernel", "kernels"));
    if (tally.shown_without_op == tally.shown_kernels) {
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

/// Backward work whose forward op is not known for sure.
void add_links(const LinkCounts& links, std::vector<std::string>& warnings) {
  if (links.missed > 0) {
    warnings.push_back(counted(links.missed, "backward node", "backward nodes") +
                       " without the range of its forward op in the trace: no layer is inherited");
  }
  if (links.other_name > 0) {
    warnings.push_back(counted(links.other_name, "backward node", "backward nodes") +
                       " tied to a forward op by the sequence number alone");
  }
  if (links.ambiguous > 0) {
    warnings.push_back(counted(links.ambiguous, "backward node", "backward nodes") +
                       " whose sequence number several threads had: the last was taken");
  }
}

void add_analysis(const AttributionCounts& counts, std::vector<std::string>& warnings) {
  if (counts.without_launch > 0) {
    warnings.push_back(counted(counts.without_launch, "kernel", "kernels") +
                       " without a recorded launch");
  }
  if (counts.broken_stacks > 0) {
    warnings.push_back(counted(counts.broken_stacks, "launch was", "launches were") +
                       " made under a range that the trace does not hold");
  }
  if (counts.deep_stacks > 0) {
    warnings.push_back(counted(counts.deep_stacks, "launch was", "launches were") +
                       " made under more than 1,024 open ranges: those further in are left out");
  }
  if (counts.late > 0) {
    warnings.push_back(counted(counts.late, "kernel", "kernels") +
                       " came too late for a share of the op's cost");
  }
  if (counts.malformed_op_texts > 0) {
    warnings.push_back(
        fmt::format("{} like an op but cannot be read ({}): {}",
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
        " of which only the end is in the trace: what they launched has no op");
  }
  add_links(counts.links, warnings);
}

}  // namespace

Notes make_notes(TraceReader& trace, TraceReader::Work work, std::optional<std::int64_t> step,
                 const Tally& tally, const AttributionCounts& counts) {
  Notes notes;
  notes.facts.push_back("trace: " + trace.path() + ", " + device_names(trace));
  add_peaks(trace, notes.facts);
  notes.facts.push_back(shown_line(work, step, tally));
  notes.facts.push_back(capture_line(trace));
  if (tally.kernels == 0 && tally.copies == 0) {
    notes.facts.emplace_back("the trace holds no GPU kernels");
  } else if (tally.shown_kernels == 0 && tally.shown_copies == 0) {
    notes.facts.emplace_back("nothing to show");
  }
  const bool killed =
      std::any_of(trace.losses().begin(), trace.losses().end(),
                  [](const auto& row) { return row.what == info(Loss::kKilled).word; });
  if (trace.meta("ended").empty() && !killed) {
    notes.warnings.emplace_back(
        "the capture was killed or still runs: work of its last moments may be missing");
  }
  add_losses(trace, notes);
  add_unattributed(tally, counts, notes.warnings);
  add_analysis(counts, notes.warnings);
  return notes;
}

}  // namespace prof::reports
