// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepGroups: the GPU work of a capture as groups that can be found again in another capture. A
// group is an op: by its layer, name, direction and shapes, and as which one of those it comes in
// its step. It has a time for each step. Work outside of ops is grouped by its kernel instead, all
// of a step together. Memory: a number for each group of a step; names are kept once.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace prof::reports {

struct GroupName {
  std::string layer, op, direction, params;
  std::string kernel;  ///< Set for work outside of ops; empty: the work of an op.
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  friend auto operator<=>(const GroupName&, const GroupName&) = default;
};

/// Two that refer to equal names are of the same group.
struct GroupKey {
  const GroupName* name = nullptr;
  std::uint32_t nth = 0;  ///< Among the ops of a step with that name, from 0.

  friend bool operator<(const GroupKey& a, const GroupKey& b) {
    return std::tie(*a.name, a.nth) < std::tie(*b.name, b.nth);
  }
};

struct KernelName {
  std::string full, short_name;
};
using StepKernels = std::span<const KernelName* const>;
const std::string& full_name(const KernelName* kernel);

struct StepGroup {
  GroupKey key;
  /// Whether it is in most steps. A group that only some steps have is no part of a typical step,
  /// and its times are not kept.
  bool is_typical = false;
  bool is_collective = false;
  std::vector<double> time_ns;  ///< Time by step; 0: it is not in the step.
  StepKernels kernels;          ///< Kernels that are in most steps, in order of their names.
};

class StepGroups {
 public:
  explicit StepGroups(std::size_t steps) : steps_(steps) {}
  StepGroups(StepGroups&&) = default;

  struct Work {
    std::string_view layer, op, direction, params, kernel, short_kernel;
    std::uint64_t op_id = 0;  ///< Work of the same op call has the same; 0: outside of ops.
    std::int64_t time_ns = 0;
    bool is_collective = false;
  };
  /// Work in launch order; steps count from 0.
  void add(std::size_t step, const Work& work);
  /// After the last work.
  void finish();

  /// In order of first launch.
  [[nodiscard]] const std::vector<StepGroup>& groups() const { return groups_; }

 private:
  static constexpr std::size_t kMaxKernels = 64;

  struct StepTime {
    std::size_t step = 0;
    double time_ns = 0;
  };
  struct KernelCount {
    std::uint32_t name = 0;  // index of names_
    std::uint32_t count = 0;
  };
  /// State of a group while its work arrives.
  struct Open {
    std::vector<StepTime> times;
    std::vector<KernelCount> kernels;  ///< In order of first launch, up to kMaxKernels.
  };
  struct Kind {  // of groups that differ in their number alone
    GroupName name;
    std::vector<std::size_t> groups;  // by number
  };
  /// State of a step while its work arrives.
  struct OpenStep {
    std::size_t step = SIZE_MAX;
    std::unordered_map<std::size_t, std::uint32_t> ops_of_kind;
    std::map<std::pair<std::size_t, std::uint64_t>, std::uint32_t> number_of_op;
  };

  std::size_t kind_of(const Work& work);
  OpenStep& open(std::size_t step);
  std::uint32_t number_of(OpenStep& open, std::size_t kind, std::uint64_t op_id);
  std::size_t group(std::size_t kind, std::uint32_t number);
  void add_kernel(Open& to, const Work& work);
  void finish(StepGroup& group, const Open& open);

  std::size_t steps_;
  std::vector<StepGroup> groups_;
  std::vector<Open> open_groups_;                                // as groups_
  std::deque<KernelName> names_;                                 // a deque: lists refer to them
  std::unordered_map<std::string, std::uint32_t> name_indices_;  // of names_, by full name
  std::set<std::vector<const KernelName*>> kernel_lists_;
  std::deque<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> kind_indices_;
  std::string name_, full_name_;  // of a kind, made anew for each row
  std::array<OpenStep, 4> open_;  // steps may overlap: threads launch for themselves
  std::size_t next_to_close_ = 0;
};

}  // namespace prof::reports
