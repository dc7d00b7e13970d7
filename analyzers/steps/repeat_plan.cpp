// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/repeat_plan.hpp"

#include <map>
#include <unordered_map>
#include <utility>

namespace prof {
namespace {

/// A hash of what a thread launched so far, in order.
class Sequence {
 public:
  void add(std::uint64_t value) {
    // splitmix64's finalizer, over the sum with what came before.
    std::uint64_t mixed = hash_ * 0x9e3779b97f4a7c15U + value;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    hash_ = mixed ^ (mixed >> 31U);
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 1;
};

void add(Sequence& to, const GpuRow& row) {
  to.add((std::uint64_t{row.device} << 32U) | row.stream);
  if (row.kind == GpuRow::Kind::kKernel) {
    to.add(row.config.value);
    return;
  }
  to.add(row.bytes);
  to.add((static_cast<std::uint64_t>(row.kind) << 24U) |
         (static_cast<std::uint64_t>(row.copy_kind) << 16U) |
         (static_cast<std::uint64_t>(row.source) << 8U) |
         static_cast<std::uint64_t>(row.destination));
}

using Threads = std::map<std::uint32_t, Sequence>;

std::uint64_t signature_of(const Threads& threads) {
  Sequence all;
  for (const auto& [thread, sequence] : threads) {
    all.add(thread);
    all.add(sequence.hash());
  }
  return all.hash();
}

}  // namespace

Result<std::vector<StepRepeats>> plan_repeats(TraceReader& reader, const StepRanges& steps) {
  if (steps.all_marked()) return std::vector<StepRepeats>{};
  std::vector<std::array<Threads, kRepeatKinds>> launched(steps.size());
  const auto work = reader.gpu_work(TraceReader::Work::kKernelsAndCopies);
  while (const GpuRow* const row = work->next()) {
    if (!can_repeat(*row)) continue;
    const auto step = steps.index_at(row->launch_start_ns);
    if (!step) continue;
    add(launched[*step][static_cast<std::size_t>(repeat_kind(*row))][row->thread.value], *row);
  }
  PROF_TRY(work->status());

  std::vector<StepRepeats> plan(steps.size());
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, kRepeatKinds> marked;
  for (std::uint32_t step = 0; step < plan.size(); ++step) {
    StepRepeats& own = plan[step];
    own.is_marked = steps.is_marked(step);
    for (std::size_t kind = 0; kind < kRepeatKinds; ++kind) {
      const std::uint64_t signature = signature_of(launched[step][kind]);
      if (own.is_marked) {
        marked[kind][signature] = step;
      } else if (const auto same = marked[kind].find(signature); same != marked[kind].end()) {
        own.source[kind] = same->second;
        plan[same->second].last_repeat = step;
      }
    }
  }
  return plan;
}

}  // namespace prof
