// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OutsideWork: finds steps with GPU work behind them that is in no step, as evaluation between
// steps is. Their periods reach over it and are not their own. The work behind the median step
// belongs to the loop: a part of it that is not marked. Pure arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "libprof/base/statistics.hpp"
#include "libprof/model/times.hpp"

namespace prof {

class OutsideWork {
 public:
  /// Each step of a GPU but the last of a captured part.
  void add(std::int64_t period_ns, std::int64_t outside_ns) {
    periods_.push_back(period_ns);
    outside_.push_back(outside_ns);
  }
  /// After the last step.
  void finish() {
    if (periods_.empty()) return;
    limit_ns_ = median(outside_) + kLeastPart * median(periods_);
  }

  [[nodiscard]] bool is_much(std::int64_t outside_ns) const {
    return !periods_.empty() && static_cast<double>(outside_ns) > limit_ns_;
  }

 private:
  static constexpr double kLeastPart = 0.01;

  std::vector<std::int64_t> periods_, outside_;
  double limit_ns_ = 0;
};

/// The steps of a GPU with much of it.
struct OutsideSum {
  std::uint64_t steps = 0;
  std::int64_t time_ns = 0;

  void add(std::int64_t outside_ns) {
    ++steps;
    time_ns = sum_of_times(time_ns, outside_ns);
  }
};

}  // namespace prof
