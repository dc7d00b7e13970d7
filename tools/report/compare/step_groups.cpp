// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/step_groups.hpp"

#include <algorithm>

namespace prof::reports {

bool StepGroup::is_typical() const {
  const auto in = std::ranges::count_if(time_ns, [](double time) { return time > 0; });
  return static_cast<std::size_t>(in) * 2 > time_ns.size();
}

std::vector<KernelName> StepGroup::typical_kernels() const {
  std::vector<KernelName> found;
  std::ranges::copy_if(kernels, std::back_inserter(found), [this](const KernelName& kernel) {
    return kernel.count * 2 > time_ns.size();
  });
  std::ranges::sort(found, {}, &KernelName::full);
  return found;
}

void StepGroups::add(std::size_t step, const Work& work) {
  const std::size_t kind = kind_of(work);
  const bool has_op = work.op_id != 0;
  StepGroup& to = group(kind, has_op ? number_of(open(step), kind, work.op_id) : 0);
  to.time_ns[step] += static_cast<double>(work.time_ns);
  const auto known = std::ranges::find(to.kernels, work.kernel, &KernelName::full);
  if (known != to.kernels.end()) {
    ++known->count;
  } else if (to.kernels.size() < StepGroup::kMaxKernels) {
    to.kernels.push_back({std::string(work.kernel), std::string(work.short_kernel), 1});
  }
}

std::size_t StepGroups::kind_of(const Work& work) {
  const std::string_view kernel = work.op_id != 0 ? std::string_view() : work.kernel;
  name_.clear();
  for (const std::string_view part : {work.layer, work.op, work.direction, work.params, kernel}) {
    name_.append(part).push_back('\0');
  }
  const auto [at, is_new] = kind_indices_.try_emplace(name_, kinds_.size());
  if (is_new) {
    kinds_.push_back({.key = {.layer = std::string(work.layer),
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

StepGroup& StepGroups::group(std::size_t kind, std::uint32_t number) {
  std::vector<std::size_t>& numbered = kinds_[kind].groups;
  while (numbered.size() <= number) {
    StepGroup& made = groups_.emplace_back();
    made.key = kinds_[kind].key;
    made.key.nth = static_cast<std::uint32_t>(numbered.size());
    made.time_ns.resize(steps_);
    numbered.push_back(groups_.size() - 1);
  }
  return groups_[numbered[number]];
}

}  // namespace prof::reports
