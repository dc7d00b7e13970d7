// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule pageable: copies from and to pageable memory that nothing hides. CUDA copies such memory
// through buffers of its own, and the host waits; pinned memory goes at the speed of the bus. Up to
// 64 KB go into the launch's own buffer, without a wait.
#include <fmt/format.h>

#include <algorithm>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Bytes per nanosecond of pinned memory over PCIe 4. What is copied beside other work costs none.
constexpr double kSlow = 25;
/// Smaller copies gain nothing.
constexpr double kLeastBytes = 64.0 * 1024;

bool is_pageable(const WorkGroup& group) {
  return (group.source == MemoryKind::kPageable || group.destination == MemoryKind::kPageable) &&
         group.bytes > kLeastBytes * group.count;
}

std::vector<Advice> find_pageable(const StepFacts& facts) {
  WorkTime time, all;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kMemcpy) continue;
    all.add(group);
    if (is_pageable(group)) time.add(group);
  }
  if (time.gpu_ns <= 0) return {};
  const double copying =
      static_cast<double>(facts.step.state_ns[static_cast<std::size_t>(DeviceState::kCopying)]) /
      facts.step.count();
  const double exposed = std::min(time.gpu_ns, copying);
  const double waits = facts.idle_ns(IdleCause::kCopy) * time.gpu_ns / all.gpu_ns;
  Advice made;
  made.what = "copy from pinned memory";
  made.evidence = time_in(facts, time, "copy of pageable memory", "copies of pageable memory") +
                  fmt::format(", {:.3g} MB", time.bytes / 1e6);
  made.gain = {exposed - std::min(exposed, time.bytes / kSlow) + 0.5 * waits, exposed + waits,
               exposed + waits};
  made.show = "gpu --where \"'pageable' IN (memory, memory_to) AND bytes > 65536\"";
  return {made};
}

}  // namespace

void register_pageable(Registry& registry) {
  registry.add({"pageable", "copies of pageable memory that nothing hides", find_pageable});
}

}  // namespace prof::rules
