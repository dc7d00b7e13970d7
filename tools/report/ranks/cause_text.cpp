// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/ranks/cause_text.hpp"

#include <fmt/format.h>

namespace prof::reports {
namespace {

constexpr double kMuchIdlePct = 30;  ///< Below, the host is not what makes steps long.

std::string place_text(const ranks::Place& place) {
  std::string text = place.op.empty() ? "unknown work" : place.op;
  if (!place.layer.empty()) text += " in " + place.layer;
  if (place.direction != Direction::kNone) text.append(", ").append(name(place.direction));
  return text;
}

}  // namespace

std::string time_text(double ns) {
  const double ms = ns / 1e6;
  if (ms < 0.00005) return "0 ms";
  const int digits = ms >= 100 ? 0 : ms >= 0.95 ? 1 : ms >= 0.0095 ? 2 : 4;
  return fmt::format("{:.{}f} ms", ms, digits);
}

std::string to_text(const ranks::Cause& cause) {
  const std::string place = place_text(cause.place);
  const std::string times =
      fmt::format("{} (others {})", time_text(cause.own_ns), time_text(cause.others_ns));
  using ranks::CauseKind;
  switch (cause.kind) {
    case CauseKind::kHost:
      return fmt::format("host idle before {}: {}", place, times);
    case CauseKind::kWork:
      return fmt::format("GPU work of {}: {}", place, times);
    case CauseKind::kCopy:
      return fmt::format("copies of {}: {}", place, times);
    case CauseKind::kSizes: {
      const double larger = cause.own_amount / cause.others_amount;
      return fmt::format("{:.1f} times the size of {}{}: {}", larger, place,
                         cause.places > 1 ? fmt::format(" and {} more", cause.places - 1) : "",
                         times);
    }
    case CauseKind::kLink:
      return fmt::format("slow link{}: {}{}: {}", cause.is_of_host ? " of the host" : "", place,
                         cause.places > 1 ? fmt::format(" and {} more", cause.places - 1) : "",
                         times);
    case CauseKind::kClocks:
      break;
  }
  return fmt::format("all kernels {:.0f} % slower: {}", 100 * (cause.own_ns / cause.others_ns - 1),
                     times);
}

std::string text_without_cause(const ranks::RankBlame& blame, double period_ns) {
  const double idle_pct = period_ns > 0 ? 100 * blame.idle_ns / period_ns : 0;
  if (idle_pct < kMuchIdlePct) return "no place stands out";
  return fmt::format("no place stands out; its GPU waits for the host {:.0f} % of a step",
                     idle_pct);
}

std::string text_of_cost(const ranks::RankBlame& blame, double period_ns) {
  if (blame.cost_ns <= 0) return {};
  return fmt::format("; a step of {} would take ~{} if this rank were as the others",
                     time_text(period_ns), time_text(period_ns - blame.cost_ns));
}

}  // namespace prof::reports
