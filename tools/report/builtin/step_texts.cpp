// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/step_texts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "libprof/base/count_text.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

/// A longer list of numbers says less than their count.
constexpr std::size_t kLongList = 20;

/// "steps 2-3 of 4", "steps 8-9 of 7-9", "18 of 20 steps".
std::string steady_text(const TypicalStep& step) {
  const std::string all = step.all_numbers.to_text();
  const bool is_long = step.steady_numbers.to_text().size() > kLongList || all.size() > kLongList;
  if (is_long || step.is_of_several_captures()) {
    return fmt::format("{} of {} steps", grouped(step.steps.size()), grouped(step.all_steps));
  }
  const bool is_from_0 = step.all_steps > 1 && all == fmt::format("0-{}", step.all_steps - 1);
  return step.steady_numbers.to_words() + " of " + (is_from_0 ? grouped(step.all_steps) : all);
}

/// By which state or cause of idle time the slowest kind of steps differs most from the fastest.
std::string difference_of_kinds(const KindOfStep& fast, const KindOfStep& slow) {
  const auto mean = [](const KindOfStep& kind, std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(kind.steps);
  };
  double most = 0;
  std::string text;
  const auto consider = [&](std::int64_t of_fast, std::int64_t of_slow, std::string name) {
    const double more = mean(slow, of_slow) - mean(fast, of_fast);
    if (more <= most) return;
    most = more;
    text = fmt::format("{} ms more {}", ms_text(more), name);
  };
  for (std::size_t i = 0; i < kDeviceStates; ++i) {
    if (static_cast<DeviceState>(i) == DeviceState::kIdle) continue;
    consider(fast.state_ns[i], slow.state_ns[i], std::string(kStateTexts[i]));
  }
  for (const auto& [cause, ns] : slow.idle_ns) {
    const auto found = fast.idle_ns.find(cause);
    consider(found == fast.idle_ns.end() ? 0 : found->second, ns,
             "idle: " + std::string(name(cause)));
  }
  return text;
}

/// "2 kinds in turn: 5 of 0.100 ms, 6 of 0.300 ms (0.200 ms more idle: data)"
std::string kinds_text(const TypicalStep& step) {
  std::string text = fmt::format("{} kinds in turn: ", step.kinds.size());
  for (const KindOfStep& kind : step.kinds) {
    if (&kind != &step.kinds.front()) text += ", ";
    text +=
        fmt::format("{} of {} ms", grouped(kind.steps),
                    ms_text(static_cast<double>(kind.period_ns) / static_cast<double>(kind.steps)));
  }
  const std::string why = difference_of_kinds(step.kinds.front(), step.kinds.back());
  return why.empty() ? text : text + " (" + why + ")";
}

std::string warm_up_text(const TypicalStep& step) {
  const std::string numbers = step.warm_up_numbers.to_text();
  if (numbers.size() > kLongList) return "the others are warm-up";
  const bool is_one = numbers.find_first_of(",-", 1) == std::string::npos;
  return fmt::format("{} {} warm-up", step.warm_up_numbers.to_words(), is_one ? "is" : "are");
}

}  // namespace

bool is_worth_showing(DeviceState state, double share_pct) {
  constexpr double kLeastShare = 0.05;  // Less is printed as 0.0.
  return state == DeviceState::kComputing || state == DeviceState::kIdle ||
         share_pct >= kLeastShare;
}

std::string span_text(const TypicalStep& step) {
  if (!step.has_steps) return "no steps: all captured time";
  if (step.all_steps == 1) return "one step";
  std::string text = steady_text(step);
  if (!step.is_settled) return text + "; still warming up: capture more steps";
  if (!step.kinds.empty()) {
    text += "; the mean of " + kinds_text(step);
  } else if (step.steps.size() > 1) {
    text += fmt::format(", {} to {} ms", ms_text(step.shortest_ns), ms_text(step.longest_ns));
  }
  if (!step.warm_up_numbers.empty()) text += "; " + warm_up_text(step);
  if (step.other_steps > 0) text += fmt::format("; {} of other work", grouped(step.other_steps));
  if (step.is_found) text += "; estimated from what repeats";
  return text;
}

}  // namespace prof::reports
