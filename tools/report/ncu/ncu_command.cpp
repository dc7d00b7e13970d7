// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/ncu/ncu_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "libprof/base/count_text.hpp"
#include "libprof/base/shell_word.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/loss_lines.hpp"

namespace prof::reports {
namespace {

/// Variables that decide which GPU a program uses, and how.
constexpr std::array<const char*, 3> kVariables = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                                   "CUDA_DEVICE_MAX_CONNECTIONS"};

/// The launches of a trace before a kernel, by name and GPU.
class EarlierLaunches {
 public:
  void add(WorkRow& row) {
    if (row.is_kernel() && row.row().origin != Origin::kDevice) {
      ++by_name_[row.config().name.value][row.row().device];
    }
  }
  [[nodiscard]] std::uint64_t on(StringId name, std::uint32_t device) const {
    const auto found = by_name_.find(name.value);
    if (found == by_name_.end()) return 0;
    const auto own = found->second.find(device);
    return own == found->second.end() ? 0 : own->second;
  }
  [[nodiscard]] bool on_others(StringId name, std::uint32_t device) const {
    const auto found = by_name_.find(name.value);
    return found != by_name_.end() && found->second.size() > found->second.count(device);
  }

 private:
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> by_name_;
};

const TraceMember& member_of(const TraceSet& traces, const TraceIdentity& identity) {
  return *std::ranges::find_if(
      traces.members(), [&](const TraceMember& member) { return &member.identity == &identity; });
}

Error not_measured(std::uint64_t idx, std::string_view is, std::string_view hint) {
  return {.what = fmt::format("row {} is {}", grouped(idx), is),
          .where = "--ncu",
          .hint = std::string(hint)};
}

/// Whether ncu counts and measures what the row shows.
Status check(WorkRow& row) {
  const std::uint64_t idx = row.idx();
  if (!row.is_kernel()) {
    const bool is_copy = row.row().kind == GpuRow::Kind::kMemcpy;
    return not_measured(idx, is_copy ? "a memory copy" : "a memory set",
                        "Nsight Compute measures kernels alone");
  }
  if (!row.has_grid()) {
    return not_measured(idx, "a CUDA graph that was recorded as a whole",
                        "capture it with --graph-trace node");
  }
  if (row.row().origin == Origin::kDevice) {
    return not_measured(idx, "a kernel that a kernel launched",
                        "Nsight Compute measures what the host launches");
  }
  if (row.string(row.config().name).empty()) {
    return not_measured(idx, "a kernel whose name was not recorded", "");
  }
  return {};
}

/// The recorded command, whose words a shell takes as words: the trace may be a stranger's.
Result<std::string> command_of(TraceReader& trace) {
  const std::string recorded = trace.meta("command_line");
  if (recorded.empty()) {
    return Error{.what = "does not say which command was captured",
                 .where = trace.path(),
                 .hint = "files of other profilers have no command"};
  }
  const auto words = shell_words(recorded);
  if (!words) {
    return Error{.what = "is damaged: a quote in its command is not closed",
                 .where = trace.path(),
                 .hint = ""};
  }
  std::string command;
  for (const std::string& word : *words)
    command.append(command.empty() ? "" : " ").append(shell_word(word));
  return command;
}

std::vector<std::string> facts_of(const TraceMember& trace) {
  std::vector<std::string> facts;
  if (const std::string folder = trace.reader.meta("working_directory"); !folder.empty()) {
    facts.push_back("the program ran in " + shell_word(folder));
  }
  std::string set;
  for (const char* const name : kVariables) {
    const std::string value = trace.reader.meta(std::string("env.") + name);
    if (!value.empty())
      set += fmt::format("{}{}={}", set.empty() ? "" : " ", name, shell_word(value));
  }
  if (!set.empty()) facts.push_back("it ran with " + set);
  if (trace.identity.rank) {
    facts.push_back(fmt::format(
        "it was rank {} of a job: start the job, and in place of this rank the line above",
        *trace.identity.rank));
  }
  return facts;
}

std::vector<std::string> warnings_of(TraceReader& trace, const GpuRow& row) {
  constexpr std::string_view kTooSmall = "; --launch-skip may be too small";
  std::vector<std::string> found;
  const auto warn = [&found](std::string_view why, std::string_view so) {
    found.push_back(std::string(why).append(so));
  };
  if (!trace.captures().empty()) {
    warn("the trace has parts of the run, and not what was launched before them", kTooSmall);
  } else if (trace.meta("ended") == "stop") {
    warn("the program started the capture itself: what it launched before is not in the trace",
         kTooSmall);
  }
  for (const LossLine& loss : recorded_losses(trace)) {
    if (loss.kind == LossKind::kLost) warn(loss.line, kTooSmall);
  }
  if (trace.meta("graph_trace").starts_with("graph")) {
    warn("CUDA graphs were recorded as a whole, and ncu counts their kernels", kTooSmall);
  }
  if (row.graph_node != 0) {
    warn("the kernel is a node of a CUDA graph",
         "; of branches that run side by side ncu may count another one first");
  }
  return found;
}

std::string line_of(WorkRow& row, const EarlierLaunches& earlier, std::string_view command) {
  const StringId name = row.config().name;
  const std::uint32_t device = row.row().device;
  std::string line = fmt::format(
      "ncu --target-processes application-only --kernel-name-base mangled --kernel-name {}"
      " --launch-skip {} --launch-count 1",
      shell_word(row.string(name)), earlier.on(name, device));
  if (earlier.on_others(name, device)) {
    line += fmt::format(" --devices {} --filter-mode per-gpu", device);
  }
  if (row.row().graph_node != 0) line += " --graph-profiling node";
  return line.append(" ").append(command);
}

}  // namespace

Result<NcuCommand> ncu_command(const RowInput& input, std::uint64_t idx) {
  RowsOf<WorkRow> rows(kKernels, input);
  EarlierLaunches earlier;
  const TraceIdentity* identity = nullptr;
  std::uint64_t last = 0;
  while (WorkRow* const row = rows.next()) {
    if (identity != &row->trace()) earlier = {};
    identity = &row->trace();
    last = row->idx();
    if (last != idx) {
      earlier.add(*row);
      continue;
    }
    PROF_TRY(check(*row));
    const TraceMember& trace = member_of(input.traces, *identity);
    const Result<std::string> command = command_of(trace.reader);
    if (!command) return command.error();
    return NcuCommand{line_of(*row, earlier, *command), facts_of(trace),
                      warnings_of(trace.reader, row->row())};
  }
  PROF_TRY(rows.status());
  return Error{.what = fmt::format("there is no row {}", grouped(idx)),
               .where = "--ncu",
               .hint = last == 0 ? "there are none" : "rows are 1 to " + grouped(last)};
}

}  // namespace prof::reports
