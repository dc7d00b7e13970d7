// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The differences between the two sides of a comparison, group by group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/compare/common_shift.hpp"
#include "tools/report/compare/gpu_pairs.hpp"
#include "tools/report/compare/period_test.hpp"

namespace prof::reports {

enum class ChangeKind : std::uint8_t {
  kUnknown,  ///< Whether its times differ is unknown.
  kSame,
  kSlower,
  kFaster,
  kKernel,  ///< Other kernels.
  kMoved,   ///< To another layer.
  kAdded,
  kRemoved,
};
std::string_view name(ChangeKind kind);  ///< "slower"; of kUnknown empty.

struct Change {
  ChangeKind kind = ChangeKind::kUnknown;
  const GroupKey* key = nullptr;       ///< On the new side, if it is there.
  const GroupKey* base_key = nullptr;  ///< Where it moved from; null: it did not.
  std::optional<double> base_ns = {}, fresh_ns = {};
  std::optional<double> beyond_pct = {};  ///< The difference beyond the common shift.
  std::optional<double> p_value = {};     ///< Corrected for all groups of the comparison.
  StepKernels base_kernels = {}, fresh_kernels = {};

  [[nodiscard]] double difference_ns() const { return fresh_ns.value_or(0) - base_ns.value_or(0); }
};

/// How a rank and the others of its side wait for each other, in a step: medians of the captures.
struct ChangedWaits {
  double base_ns = 0, fresh_ns = 0;                        ///< It waits for others.
  double base_waited_for_ns = 0, fresh_waited_for_ns = 0;  ///< The one that waits longest for it.
  /// The standings of the capture that waits most, and of the one that is waited for most.
  const RankStanding* waiting = nullptr;
  const RankStanding* late = nullptr;
};

struct ComparedGpu {
  const GpuPair* pair = nullptr;
  double base_period_ns = 0, fresh_period_ns = 0;  ///< Medians.
  std::size_t base_steps = 0, fresh_steps = 0;     ///< Steady ones.
  PeriodTest period;
  double period_p = 1;  ///< Corrected for the GPUs compared.
  /// Verdict on the period: same, slower, faster, or unknown.
  ChangeKind verdict = ChangeKind::kUnknown;
  std::size_t rare = 0;  ///< Groups that under half of the steps have.
  CommonShift shift;
  std::optional<ChangedWaits> waits;  ///< Absent: other ranks are not known.
  std::string why_unknown;            ///< Why no op's time has a verdict; empty: some have.
  std::size_t tests = 0;              ///< The number of ops that are tested, on all GPUs.
  std::size_t undecided = 0;          ///< Ops of this GPU that differ without enough proof.
  /// Steps on each side that would prove the largest such difference; 0: more captures would.
  std::size_t steps_needed = 0;
  /// The largest changes come first, then the groups that are the same.
  std::vector<Change> changes;

  [[nodiscard]] double period_change_pct() const {
    return 100 * (fresh_period_ns / base_period_ns - 1);
  }
  [[nodiscard]] std::string steps_text() const;  ///< "20 steady steps a side, of 2 captures".
};

/// The rate of false findings of a comparison.
inline constexpr double kLevel = 0.05;
/// A change of the period that must be excluded if it is to be the same.
inline constexpr double kLeastOther = 0.05;

/// Keeps pointers into the pairs.
std::vector<ComparedGpu> find_changes(std::span<const GpuPair> pairs);

}  // namespace prof::reports
