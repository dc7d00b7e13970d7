// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/step_groups.hpp"

#include <algorithm>
#include <utility>

namespace prof::reports {

const std::string& full_name(const KernelName* kernel) { return kernel->full; }

void StepGroups::add(std::size_t step, const Work& work) {
  const std::size_t kind = kind_of(work);
  const bool has_op = work.op_id != 0;
  const std::size_t index = group(kind, has_op ? number_of(open(step), kind, work.op_id) : 0);
  groups_[index].is_collective = work.is_collective;
  Open& to = open_groups_[index];
  // Steps that overlap may alternate: finish() adds up what is there twice.
  if (to.times.empty() || to.times.back().step != step) to.times.push_back({step, 0});
  to.times.back().time_ns += static_cast<double>(work.time_ns);
  add_kernel(to, work);
}

void StepGroups::add_kernel(Open& to, const Work& work) {
  full_name_.assign(work.kernel);
  const auto [at, is_new] =
      name_indices_.try_emplace(full_name_, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back({full_name_, std::string(work.short_kernel)});
  const auto known = std::ranges::find(to.kernels, at->second, &KernelCount::name);
  if (known != to.kernels.end()) {
    ++known->count;
  } else if (to.kernels.size() < kMaxKernels) {
    to.kernels.push_back({at->second, 1});
  }
}

void StepGroups::finish() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    finish(groups_[i], open_groups_[i]);
    open_groups_[i] = {};
  }
  decltype(open_groups_)().swap(open_groups_);
  open_ = {};
}

void StepGroups::finish(StepGroup& group, const Open& open) {
  if (open.times.size() * 2 <= steps_) return;
  std::vector<double> by_step(steps_);
  for (const StepTime& one : open.times) by_step[one.step] += one.time_ns;
  const auto in = std::ranges::count_if(by_step, [](double time) { return time > 0; });
  group.is_typical = static_cast<std::size_t>(in) * 2 > steps_;
  if (!group.is_typical) return;
  group.time_ns = std::move(by_step);
  std::vector<const KernelName*> kernels;
  for (const KernelCount& kernel : open.kernels) {
    if (kernel.count * std::size_t{2} > steps_) kernels.push_back(&names_[kernel.name]);
  }
  std::ranges::sort(kernels, {}, full_name);
  group.kernels = *kernel_lists_.insert(std::move(kernels)).first;
}

std::size_t StepGroups::kind_of(const Work& work) {
  const std::string_view kernel = work.op_id != 0 ? std::string_view() : work.kernel;
  name_.clear();
  for (const std::string_view part : {work.layer, work.op, work.direction, work.params, kernel}) {
    name_.append(part).push_back('\0');
  }
  const auto [at, is_new] = kind_indices_.try_emplace(name_, kinds_.size());
  if (is_new) {
    kinds_.push_back({.name = {.layer = std::string(work.layer),
                               .op = std::string(work.op),
                               .direction = std::string(work.direction),
                               .params = std::string(work.params),
                               .kernel = std::string(kernel)},
                      .groups = {}});
  }
  return at->second;
}

StepGroups::OpenStep& StepGroups::open(std::size_t step) {
  const auto found = std::ranges::find(open_, step, &OpenStep::step);
  if (found != open_.end()) return *found;
  OpenStep& oldest = open_[next_to_close_++ % open_.size()];
  oldest = {.step = step, .ops_of_kind = {}, .number_of_op = {}};
  return oldest;
}

std::uint32_t StepGroups::number_of(OpenStep& open, std::size_t kind, std::uint64_t op_id) {
  const auto [at, is_new] = open.number_of_op.try_emplace({kind, op_id}, 0);
  if (is_new) at->second = open.ops_of_kind[kind]++;
  return at->second;
}

std::size_t StepGroups::group(std::size_t kind, std::uint32_t number) {
  std::vector<std::size_t>& numbered = kinds_[kind].groups;
  while (numbered.size() <= number) {
    numbered.push_back(groups_.size());
    StepGroup& made = groups_.emplace_back();
    made.key = {&kinds_[kind].name, static_cast<std::uint32_t>(numbered.size() - 1)};
    open_groups_.emplace_back();
  }
  return numbered[number];
}

}  // namespace prof::reports
