// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The groups of all captures of a side, together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/report/compare/gpu_captures.hpp"

namespace prof::reports {

struct SideGroup {
  const GroupKey* key = nullptr;
  /// A span for each capture; empty: the capture does not have the group.
  std::vector<std::span<const double>> steps;
  bool is_collective = false;
  StepKernels kernels;   ///< Kernels of the first capture that has it.
  double median_ns = 0;  ///< The median of the captures' medians.
};

class SideGroups {
 public:
  /// Keeps pointers into the captures.
  explicit SideGroups(const std::vector<const GpuCapture*>& captures);

  /// A group that is typical of most captures that there are.
  [[nodiscard]] const SideGroup& operator[](std::size_t index) const { return groups_[index]; }
  [[nodiscard]] std::span<const GroupKey* const> keys() const { return keys_; }
  /// The number of other groups.
  [[nodiscard]] std::size_t rare() const { return rare_; }

 private:
  std::vector<SideGroup> groups_;
  std::vector<const GroupKey*> keys_;
  std::size_t rare_ = 0;
};

}  // namespace prof::reports
