// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts and warnings about a trace, see notes.hpp.
#include "tools/report/rows/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "analyzers/ranks/roster.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/common/result_file.hpp"
#include "tools/report/rows/capture_notes.hpp"
#include "tools/report/rows/loss_lines.hpp"
#include "tools/report/rows/step_notes.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

/// If there are more traces, facts that they share are stated once.
constexpr std::size_t kMostNames = 8;

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
  std::map<std::string, std::string> names;
  for (const TraceMember& trace : traces.members()) {
    for (const auto& [name, what] : uncertain_peaks(trace.reader)) names[name] = what;
  }
  for (const auto& [name, what] : names) {
    facts.push_back(fmt::format("peak performance of {}: {}", name, what));
  }
}

/// Every program launches some, such as those that make its data. More of them are a warning.
bool are_few_unattributed(const WorkCounts& work) {
  return work.shown_unattributed * 20 < work.shown_kernels;
}

std::uint64_t few_unattributed(const Tally& tally) {
  std::uint64_t few = 0;
  for (const Tally::OfTrace& trace : tally.traces) {
    if (are_few_unattributed(trace.work)) few += trace.work.shown_unattributed;
  }
  return few;
}

std::string shown_line(const RowFilter& filter, const Tally& tally) {
  const WorkCounts work = tally.work();
  const bool is_part = !filter.all();
  std::string text = "shown: ";
  if (is_part) text += grouped(work.shown_kernels) + " of ";
  text += count_text(work.kernels, "kernel", "kernels");
  if (const std::uint64_t few = few_unattributed(tally); few > 0) {
    text += fmt::format(" ({} not fully attributed: -r losses)", grouped(few));
  }
  if (tally.with_copies) {
    text += ", ";
    if (is_part) text += grouped(work.shown_copies) + " of ";
    text += count_text(work.copies, "copy or set", "copies and sets");
  }
  if (work.shown_kernels > 0) text += ", " + ms_text(work.shown_kernel_ns) + " ms in kernels";
  if (tally.filter.steps.empty()) return filter.step ? text + "; the trace has no steps" : text;
  if (const auto& step = filter.step) {
    const std::vector<StepSpan> missing = step->missing_from(tally.filter.steps);
    if (!step->with_last && missing.size() == step->spans.size()) {
      return text + fmt::format("; no {}; the {} {}", step->to_words(),
                                tally.traces.size() > 1 ? "traces have" : "trace has",
                                tally.filter.steps.to_words());
    }
    if (step->spans.empty()) return text + "; the last of " + tally.filter.steps.to_words();
    text += fmt::format("; {} of {}", step->to_words(), tally.filter.steps.to_text());
    return missing.empty() ? text : text + fmt::format(" (no {})", to_words(missing));
  }
  text += "; " + tally.filter.steps.to_words();
  const std::uint64_t outside = work.shown_kernels - work.shown_in_steps;
  if (outside > 0)
    text += fmt::format(" ({} in no step)", count_text(outside, "kernel", "kernels"));
  return text;
}

// "a.db (rank 3)"
std::string name_of(const TraceIdentity& trace) {
  return trace.rank ? fmt::format("{} (rank {})", trace.name, *trace.rank) : trace.name;
}

/// Report losses alone lists what is in order and asks for nothing.
bool is_worth_a_line(const LossLine& loss, const Tally::OfTrace* work) {
  if (loss.word == kUnattributed && work != nullptr) return !are_few_unattributed(work->work);
  return loss.kind != LossKind::kNotice || !loss.advice.empty();
}

// Notes on what one trace lacks, and on what could not be attributed.
Notes notes_of(TraceReader& trace, const RowFilter& filter, const Tally::OfTrace* work) {
  Notes notes;
  if (std::string line = captures_line(trace.captures()); !line.empty()) {
    notes.facts.push_back(std::move(line));
  }
  if (const FoundSteps* const found = found_steps(filter, trace); found && work != nullptr) {
    std::ranges::move(found_steps_lines(*found), std::back_inserter(notes.facts));
  }
  std::vector<LossLine> losses = recorded_losses(trace);
  if (work != nullptr) std::ranges::move(attribution_losses(*work), std::back_inserter(losses));
  for (LossLine& loss : losses) {
    if (!is_worth_a_line(loss, work)) continue;
    auto& lines = loss.kind == LossKind::kNotice ? notes.facts : notes.warnings;
    lines.push_back(std::move(loss.line));
  }
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
    // On both sides of a comparison, which says so.
    if (compares && tools::same_file(first->reader.path(), members[i].reader.path())) continue;
    warnings.push_back(fmt::format("{} is another copy of the recording in {}{}",
                                   members[i].identity.name, first->identity.name,
                                   compares ? "" : ": it counts twice"));
  }
}

/// Empty: the report does not count its rows.
std::string shown_text(const RowFilter& filter, const Tally& tally) {
  std::string text;
  if (!tally.rows.empty()) {
    const std::string of = filter.all() ? "" : grouped(tally.shown_count) + " of ";
    text = "shown: " + of + count_text(tally.row_count, tally.row, tally.rows);
  } else if (!tally.traces.empty()) {
    text = shown_line(filter, tally);
  }
  if (text.empty()) return text;
  if (filter.captures) text += "; " + filter.captures->to_words("capture");
  if (tally.folded_lines > 0) text += "; numbered layers are added up (--flat shows each)";
  return text;
}

/// Warns about steps for reports that do not show the steps of their GPU work.
void add_steps(const RowFilter& filter, const Tally& tally, std::vector<std::string>& warnings) {
  if (!filter.step || !tally.traces.empty()) return;
  const StepSet& steps = tally.filter.steps;
  if (steps.empty()) {
    warnings.emplace_back("--step chooses nothing: nothing that the report reads is in a step");
  } else if (const auto missing = filter.step->missing_from(steps); !missing.empty()) {
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

/// A line for each trace; of many, one for those with the same GPUs.
void add_names(const TraceSet& traces, std::vector<std::string>& facts) {
  const bool several = traces.size() > 1;
  std::map<std::string, std::vector<const TraceIdentity*>> by_device;
  for (const auto& [reader, identity] : traces.members()) {
    if (traces.size() <= kMostNames) {
      facts.push_back("trace: " + (several ? name_of(identity) : reader.path()) + ", " +
                      device_names(reader));
    }
    by_device[device_names(reader)].push_back(&identity);
  }
  if (traces.size() <= kMostNames) return;
  for (const auto& [devices, named] : by_device) {
    std::vector<std::uint32_t> ranks;
    for (const TraceIdentity* one : named) {
      if (one->rank) ranks.push_back(*one->rank);
    }
    std::ranges::sort(ranks);
    facts.push_back(count_text(named.size(), "trace", "traces") +
                    (ranks.size() == named.size() ? " (ranks " + ranks::list_of(ranks) + ")" : "") +
                    ", " + devices);
  }
}

/// A note about one trace, or about several alike.
struct Said {
  std::string text, name;
  std::size_t more = 0;
};

void say(std::string text, const std::string& name, bool joins, std::vector<Said>& said) {
  const auto known = std::ranges::find(said, text, &Said::text);
  if (joins && known != said.end()) {
    ++known->more;
  } else {
    said.push_back({.text = std::move(text), .name = name});
  }
}

std::string to_text(const Said& said, bool several) {
  if (!several) return said.text;
  const std::string more = said.more > 0 ? " and " + std::to_string(said.more) + " more" : "";
  return said.name + more + ": " + said.text;
}

/// Each by itself, or of many how many there are.
void add_left_out(const TraceSet& traces, std::vector<std::string>& warnings) {
  const std::vector<Error>& all = traces.left_out();
  const std::size_t named = all.size() > kMostNames ? 1 : all.size();
  for (std::size_t i = 0; i < named; ++i) warnings.push_back("left out: " + all[i].to_line());
  if (named == all.size()) return;
  warnings.push_back(fmt::format("left out: {} more that cannot be read",
                                 count_text(all.size() - named, "trace", "traces")));
}

}  // namespace

Notes make_notes(const TraceSet& traces, const RowFilter& filter, const Tally& tally) {
  const bool several = traces.size() > 1;
  Notes notes;
  add_names(traces, notes.facts);
  // A line for a trace in order.
  if (const std::string shown = shown_text(filter, tally); several && !shown.empty()) {
    notes.facts.push_back(shown);
  } else if (!shown.empty()) {
    notes.facts.back() += "; " + shown;
  }
  notes.facts.insert(notes.facts.end(), tally.remarks.begin(), tally.remarks.end());
  add_peaks(traces, notes.facts);
  notes.warnings = tally.filter.warnings(filter);
  add_left_out(traces, notes.warnings);
  notes.warnings.insert(notes.warnings.end(), tally.warnings.begin(), tally.warnings.end());
  add_copies(traces, tally.compares, notes.warnings);
  add_steps(filter, tally, notes.warnings);
  add_emptiness(traces, tally, notes.facts);
  const bool joins = traces.size() > kMostNames;
  std::vector<Said> facts, warnings;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto& [reader, identity] = traces.members()[i];
    Notes own = notes_of(reader, filter, tally.traces.empty() ? nullptr : &tally.traces[i]);
    for (std::string& fact : own.facts) say(std::move(fact), identity.name, joins, facts);
    for (std::string& warning : own.warnings)
      say(std::move(warning), identity.name, joins, warnings);
  }
  for (const Said& fact : facts) notes.facts.push_back(to_text(fact, several));
  for (const Said& warning : warnings) notes.warnings.push_back(to_text(warning, several));
  return notes;
}

}  // namespace prof::reports
