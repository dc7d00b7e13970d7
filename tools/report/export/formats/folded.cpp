// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Format `folded`: a line for each stack of layers, op and kernel, with its GPU time in
// nanoseconds, as flamegraph.pl and speedscope read it.
#include <fmt/format.h>

#include <iterator>

#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::formats {
namespace {

/// Characters that separate frames or lines are replaced in a name.
void append_frame(std::string_view name, std::string& out) {
  for (const char c : name) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    out.push_back(c == ';' ? ':' : is_control ? ' ' : c);
  }
}

Status write_folded(const reports::RowInput& input, tools::Output& output) {
  const Result<exports::WorkStacks> stacks = exports::sum_by_stack(input);
  if (!stacks) return stacks.error();
  for (const auto& [gpu, times] : stacks->gpus) {
    const TraceMember& trace = input.traces.members()[gpu.trace];
    for (const auto& [stack, time_ns] : times) {
      std::string& out = output.buffer();
      if (input.traces.size() > 1) {
        append_frame(exports::name_of(trace.identity), out);
        out.push_back(';');
      }
      // The time is one of all GPUs, unless there are several to distinguish.
      if (stacks->gpus.size() > 1) {
        append_frame(fmt::format("GPU {}", gpu.device), out);
        out.push_back(';');
      }
      for (const std::string& frame : stack) {
        if (&frame != &stack.front()) out.push_back(';');
        append_frame(frame, out);
      }
      fmt::format_to(std::back_inserter(out), " {}\n", time_ns);
      if (!output.commit()) return {};
    }
  }
  return {};
}

}  // namespace

void register_folded(Registry& registry) {
  registry.add({.word = "folded",
                .help = "GPU time by layers, op and kernel, a line each: flamegraph.pl",
                .extension = "folded",
                .write = write_folded});
}

}  // namespace prof::formats
