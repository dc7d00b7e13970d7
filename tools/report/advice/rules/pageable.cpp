// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule pageable: copies from and to pageable memory that nothing hides. CUDA copies such memory
// through buffers of its own, and the host waits; pinned memory goes at the speed of the bus. Up to
// 64 KB go into the launch's own buffer, without a wait.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Bytes per nanosecond of pinned memory over PCIe 4. What is copied beside other work costs none.
constexpr double kSlow = 25;
/// Smaller copies gain nothing.
constexpr double kLeastBytes = 64.0 * 1024;

/// One way of the copies, and what to do about it.
struct Way {
  MemoryKind WorkGroup::*host_side;
  std::string_view what, one, many, column;
};
constexpr Way kWays[] = {
    {&WorkGroup::source, "copy from pinned memory", "copy from pageable memory",
     "copies from pageable memory", "memory"},
    {&WorkGroup::destination, "copy to pinned memory", "copy to pageable memory",
     "copies to pageable memory", "memory_to"},
};

std::vector<Advice> find_pageable(const StepFacts& facts) {
  WorkTime all;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind == GpuRow::Kind::kMemcpy) all.add(group);
  }
  const double copying =
      static_cast<double>(facts.step.state_ns[static_cast<std::size_t>(DeviceState::kCopying)]) /
      facts.step.count();
  std::vector<Advice> found;
  for (const Way& way : kWays) {
    WorkTime time;
    for (const WorkGroup* group : all.groups) {
      const bool is_large = group->bytes > kLeastBytes * group->count;
      if (is_large && group->*way.host_side == MemoryKind::kPageable) time.add(*group);
    }
    if (time.gpu_ns <= 0) continue;
    const double share = time.gpu_ns / all.gpu_ns;
    const double exposed = std::min(time.gpu_ns, copying * share);
    const double waits = facts.idle_ns(IdleCause::kCopy) * share;
    Advice made;
    made.what = way.what;
    made.evidence =
        time_in(facts, time, way.one, way.many) + fmt::format(", {:.3g} MB", time.bytes / 1e6);
    made.gain = {exposed - std::min(exposed, time.bytes / kSlow) + 0.5 * waits, exposed + waits,
                 exposed + waits};
    made.show = fmt::format("gpu --where \"{} = 'pageable' AND bytes > 65536\"", way.column);
    found.push_back(std::move(made));
  }
  return found;
}

}  // namespace

void register_pageable(Registry& registry) {
  registry.add({"pageable", "copies of pageable memory that nothing hides", find_pageable});
}

}  // namespace prof::rules
