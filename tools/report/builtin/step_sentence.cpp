// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/step_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

/// Parts of the step's change that deserve a word, and that are most of it.
constexpr double kLeastOfChange = 0.2, kMostOfChange = 0.5;

/// A part of the change that has a name.
struct ChangePart {
  double ns = 0;
  std::string text;
};

/// The first part that is most of the change; else the largest.
const ChangePart* part_of(const std::vector<ChangePart>& parts, double change_ns) {
  const ChangePart* largest = nullptr;
  double share = kLeastOfChange;
  for (const ChangePart& part : parts) {
    const double of_it = part.ns / change_ns;
    if (of_it < share) continue;
    largest = &part;
    share = of_it;
    if (share >= kMostOfChange) break;
  }
  return largest;
}

std::string with_gpu(const std::string& text, const ComparedGpu& gpu, bool is_one_of_several) {
  return is_one_of_several ? text + " on " + gpu.pair->name() : text;
}

/// The rank for which others wait, and why it is late.
void add_waits(const ComparedGpu& gpu, std::vector<ChangePart>& parts) {
  if (!gpu.waits || gpu.waits->late->cause.empty()) return;
  parts.push_back({gpu.waits->fresh_waited_for_ns - gpu.waits->base_waited_for_ns,
                   gpu.waits->late->label + ": " + gpu.waits->late->cause});
}

std::string op_text(const Change& change) {
  const GroupName& name = *change.key->name;
  std::string text = name.op.empty() ? name.kernel : name.op;
  if (!name.layer.empty()) text += " in " + name.layer;
  if (!name.direction.empty()) text += ", " + name.direction;
  return text;
}

/// The op whose time changed most.
void add_op(std::span<const ComparedGpu> compared, double sign, std::vector<ChangePart>& parts) {
  const ComparedGpu* of = nullptr;
  const Change* most = nullptr;
  for (const ComparedGpu& gpu : compared) {
    for (const Change& change : gpu.changes) {
      if (change.kind == ChangeKind::kSame || change.kind == ChangeKind::kUnknown) continue;
      if (most != nullptr && sign * change.difference_ns() <= sign * most->difference_ns())
        continue;
      most = &change;
      of = &gpu;
    }
  }
  if (most == nullptr) return;
  parts.push_back(
      {most->difference_ns(),
       fmt::format("{}, {} → {} ms", with_gpu(op_text(*most), *of, compared.size() > 1),
                   ms_text(most->base_ns.value_or(0)), ms_text(most->fresh_ns.value_or(0)))});
}

/// Changes of the time that a GPU spends in each state of a step.
class StateChanges {
 public:
  explicit StateChanges(const GpuPair& pair) : pair_(pair) {}

  void add(std::vector<ChangePart>& parts, const std::string& gpu) const {
    for (const IdleCauseText& cause : idle_cause_texts()) {
      const auto index = static_cast<std::size_t>(&cause - idle_cause_texts().data());
      add(parts, gpu, fmt::format("idle, cause {}", cause.word), [&](const TypicalStep& step) {
        const auto found = step.idle_ns.find(static_cast<IdleCause>(index));
        return found == step.idle_ns.end() ? 0 : found->second;
      });
    }
    add_state(parts, gpu, DeviceState::kComputing, "computing, in many ops");
    add_state(parts, gpu, DeviceState::kCollective, "exposed collectives");
    add_state(parts, gpu, DeviceState::kCopying, "exposed copies");
  }

 private:
  void add_state(std::vector<ChangePart>& parts, const std::string& gpu, DeviceState state,
                 std::string text) const {
    add(parts, gpu, std::move(text), [state](const TypicalStep& step) {
      return step.state_ns[static_cast<std::size_t>(state)];
    });
  }
  template <typename Time>
  void add(std::vector<ChangePart>& parts, const std::string& gpu, std::string text,
           const Time& time) const {
    const auto mean = [&](const std::vector<const GpuCapture*>& captures) {
      double sum = 0;
      for (const GpuCapture* const one : captures) {
        sum += static_cast<double>(time(one->typical)) / one->typical.count();
      }
      return sum / static_cast<double>(captures.size());
    };
    const double before = mean(pair_.base), after = mean(pair_.fresh);
    parts.push_back({after - before,
                     fmt::format("{}{}, {} → {} ms", text, gpu, ms_text(before), ms_text(after))});
  }

  const GpuPair& pair_;
};

/// The part that makes up most of the change; empty: no part stands out.
std::string change_reason(std::span<const ComparedGpu> compared, const ComparedGpu& gpu) {
  const double change_ns = gpu.fresh_period_ns - gpu.base_period_ns;
  std::vector<ChangePart> parts;
  for (const ComparedGpu& one : compared) add_waits(one, parts);
  std::ranges::stable_sort(parts, [&](const ChangePart& a, const ChangePart& b) {
    return a.ns / change_ns > b.ns / change_ns;
  });
  add_op(compared, change_ns, parts);
  const std::size_t named = parts.size();
  StateChanges(*gpu.pair).add(parts, compared.size() > 1 ? " on " + gpu.pair->name() : "");
  std::stable_sort(parts.begin() + static_cast<std::ptrdiff_t>(named), parts.end(),
                   [&](const ChangePart& a, const ChangePart& b) {
                     return a.ns / change_ns > b.ns / change_ns;
                   });
  const ChangePart* const part = part_of(parts, change_ns);
  if (part == nullptr) return "";
  return (part->ns / change_ns >= kMostOfChange ? " Most of it: " : " The largest part: ") +
         part->text + ".";
}

/// Percent without decimals that say nothing.
std::string percent_text(double percent) {
  return std::abs(percent) < 10 ? fmt::format("{:.1f} %", percent)
                                : grouped(static_cast<std::uint64_t>(std::llround(percent))) + " %";
}

/// The fewest steps on each side that would show that it changed, or that it is the same; 0: none.
std::size_t steps_to_decide(const PeriodTest& period) {
  const std::size_t changed = period.steps_needed_from(0, kLevel);
  const double other = std::copysign(std::log1p(kLeastOther), period.change());
  const std::size_t same = period.steps_needed_from(other, kLevel);
  return changed == 0 || same == 0 ? std::max(changed, same) : std::min(changed, same);
}

/// Changed ones first, then those that may have.
std::pair<int, double> gpu_weight(const ComparedGpu& gpu) {
  const bool is_changed = gpu.verdict == ChangeKind::kSlower || gpu.verdict == ChangeKind::kFaster;
  const int first = is_changed ? 2 : gpu.verdict == ChangeKind::kUnknown ? 1 : 0;
  return {first, std::abs(gpu.fresh_period_ns - gpu.base_period_ns)};
}

std::string sentence_of(std::span<const ComparedGpu> compared, const ComparedGpu& gpu) {
  const std::string times =
      with_gpu(fmt::format("{} → {} ms", ms_text(gpu.base_period_ns), ms_text(gpu.fresh_period_ns)),
               gpu, compared.size() > 1);
  const double percent = gpu.period_change_pct();
  switch (gpu.verdict) {
    case ChangeKind::kSlower:
      return fmt::format("The step takes {} longer: {}.{}", percent_text(percent), times,
                         change_reason(compared, gpu));
    case ChangeKind::kFaster:
      return fmt::format("The step takes {} less: {}.{}", percent_text(-percent), times,
                         change_reason(compared, gpu));
    case ChangeKind::kSame:
      return fmt::format("The step takes the same time: {} ({:+.1f} %).", times, percent);
    default:
      break;
  }
  const std::size_t needed = steps_to_decide(gpu.period);
  return fmt::format("Whether the step's time changed cannot be decided: {} ({:+.1f} %), {}{}.",
                     times, percent, gpu.steps_text(),
                     !gpu.period.is_decided()
                         ? fmt::format(", at least {} are needed", PeriodTest::kFewSteps)
                     : needed > 0 ? fmt::format(", about {} would do", needed)
                                  : "; capture each side three times");
}

}  // namespace

StepSentence step_sentence(std::span<const ComparedGpu> compared) {
  if (compared.empty()) return {};
  const ComparedGpu& gpu = *std::ranges::max_element(compared, {}, gpu_weight);
  return {&gpu, sentence_of(compared, gpu)};
}

}  // namespace prof::reports
