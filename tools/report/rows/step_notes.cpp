// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/step_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "libprof/base/count_text.hpp"

namespace prof::reports {
namespace {

/// Indexed by StepEvidence.
constexpr std::array<std::string_view, 6> kEvidence = {
    "each updates weights",   "each copies to the host",       "each copies from the host",
    "the host waits in each", "the program does nothing else", "each may be a layer"};
static_assert(kEvidence.size() == static_cast<std::size_t>(StepEvidence::kNone) + 1);

std::string turns_text(const FoundLoop& loop) {
  return fmt::format("{} turns of {}", grouped(loop.turns),
                     count_text(std::uint64_t{loop.launches}, "launch", "launches"));
}

/// The loops around the step, and in it: not every pair of launches that repeats.
std::string other_loops(const FoundSteps& found, const FoundLoop& step) {
  constexpr std::uint32_t kLeastPart = 10;  // of a step
  constexpr int kMost = 3;
  int shown = 0;
  std::string text;
  for (const FoundLoop& loop : found.loops) {
    const bool is_small = loop.launches < std::max(2U, step.launches / kLeastPart) ||
                          loop.turns * loop.launches < step.launches;
    if (loop.is_step || is_small || shown == kMost) continue;
    ++shown;
    text += (text.empty() ? "; also repeat: " : ", ") + turns_text(loop);
  }
  return text;
}

/// "2.4s", "180ms"
std::string duration_word(double ns) {
  const double ms = ns / 1e6;
  return ms < 1000 ? fmt::format("{:.0f}ms", std::max(1.0, std::ceil(ms)))
                   : fmt::format("{:.1f}s", ms / 1000);
}

/// A window around steps behind the first third, which may warm up.
std::string capture_line(const FoundSteps& found) {
  constexpr std::size_t kSteps = 20;
  const std::vector<FoundStep>& steps = found.steps;
  const std::size_t first = steps.size() / 3;
  const std::size_t count = std::min(kSteps, steps.size() - first);
  const auto span = static_cast<double>(steps[first + count - 1].end_ns - steps[first].begin_ns);
  return fmt::format("to capture {} of these steps alone: prof-run --capture delay:{} duration:{}",
                     count, duration_word(static_cast<double>(steps[first].begin_ns)),
                     duration_word(span));
}

}  // namespace

const FoundSteps* found_steps(const RowFilter& filter, const TraceReader& trace) {
  const auto& memo = filter.range_options.found_steps;
  return memo ? memo->known(trace.path()) : nullptr;
}

std::vector<std::string> found_steps_lines(const FoundSteps& found) {
  const auto step = std::ranges::find(found.loops, true, &FoundLoop::is_step);
  if (step == found.loops.end()) return {};
  if (found.steps.empty()) {
    constexpr std::uint64_t kLeastLaunches = 20;  // Of fewer there is nothing to say.
    if (step->turns * step->launches < kLeastLaunches) return {};
    return {
        fmt::format("no range marks a step; what repeats ({}) may be layers of one: mark the "
                    "steps, or capture more of them",
                    turns_text(*step))};
  }
  std::string line = fmt::format(
      "no range marks a step; estimated from what repeats: {}, {}{}; --find-steps off "
      "takes none",
      turns_text(*step), kEvidence[static_cast<std::size_t>(found.evidence)],
      other_loops(found, *step));
  if (found.left_out > 0) {
    line += fmt::format("; the first {} launches were not looked at", grouped(found.left_out));
  }
  return {std::move(line), capture_line(found)};
}

}  // namespace prof::reports
