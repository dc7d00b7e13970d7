// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/step_window.hpp"

#include <algorithm>
#include <cstddef>

#include "libprof/model/times.hpp"

namespace prof::whatif {
namespace {

/// More steps tell no more.
constexpr std::size_t kMostSteps = 32;
/// A graph of more takes more memory than a report should (step_graph.hpp).
constexpr std::uint64_t kMostKernels = 1'000'000;

struct Chain {  // of steps, by index
  std::size_t first = 0, last = 0;
};

/// What is queued when the step's first work is launched was launched about as long before as that
/// has to wait for it; twice that, to be sure.
std::int64_t begin_of(const StepExtent& first) {
  const std::int64_t launched = first.host_begin_ns.value_or(first.begin_ns);
  const std::int64_t queued =
      std::max<std::int64_t>(0, difference_of_times(first.begin_ns, launched));
  return difference_of_times(std::min(launched, first.begin_ns), sum_of_times(queued, queued));
}

/// From the step before the first steady one to the last.
std::optional<Chain> find_chain(const std::vector<ChosenStep>& steps) {
  const auto last = std::ranges::find_if(
      steps.rbegin(), steps.rend(), [](const ChosenStep& one) { return one.judged.is_steady(); });
  if (last == steps.rend()) return std::nullopt;
  Chain chain;
  chain.last = static_cast<std::size_t>(steps.rend() - last) - 1;
  chain.first = chain.last;
  std::size_t steady = 1;
  std::uint64_t kernels = last->work->kernels;
  for (std::size_t i = chain.last; i-- > 0 && steps[i].part == last->part;) {
    kernels += steps[i].work->kernels;
    const bool is_full = steady == kMostSteps || kernels > kMostKernels;
    if (is_full) break;
    if (!steps[i].judged.is_steady()) continue;
    ++steady;
    chain.first = i;
  }
  const bool has_before = chain.first > 0 && steps[chain.first - 1].part == last->part;
  if (has_before) --chain.first;
  return chain;
}

}  // namespace

std::optional<StepWindow> choose_window(const JudgedSteps& steps) {
  StepWindow window;
  std::int64_t begin = INT64_MAX, end = INT64_MIN;
  for (const auto& [device, of] : steps.devices()) {
    const std::optional<Chain> chain = find_chain(of.steps);
    if (!chain) continue;
    const StepExtent& first = of.steps[chain->first].extent;
    begin = std::min(begin, begin_of(first));
    const bool has_next = chain->last + 1 < of.steps.size();
    const StepExtent* const next = has_next ? &of.steps[chain->last + 1].extent : nullptr;
    end = std::max(end, next != nullptr ? next->host_end_ns.value_or(next->end_ns) : INT64_MAX);
    for (std::size_t i = chain->first; i <= chain->last; ++i) {
      const ChosenStep& step = of.steps[i];
      window.steps.push_back({step.extent.step, device, step.part.capture, step.extent.begin_ns,
                              step.extent.settled_ns, step.extent.period_end_ns,
                              step.judged.is_steady()});
    }
  }
  if (window.steps.empty()) return std::nullopt;
  window.host = {begin, end};
  return window;
}

}  // namespace prof::whatif
