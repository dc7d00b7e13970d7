// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PeriodTest: whether the step takes another time on the new side, and by how much. There is one
// step, so that no other group can say how much it varies: its own steps do (Student's t of the
// captures' medians), and several captures of a side how much captures differ. A single capture is
// taken to differ by half a percent from another one of its program (docs/diff.md).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace prof::reports {

class PeriodTest {
 public:
  using Captures = std::vector<std::span<const double>>;  // periods of steps, for each

  PeriodTest() = default;
  PeriodTest(const Captures& base, const Captures& fresh);

  static constexpr std::size_t kFewSteps = 2;  ///< With fewer on a side, nothing is known.

  [[nodiscard]] bool is_decided() const { return freedom() > 0; }
  /// The difference as a logarithm.
  [[nodiscard]] double change() const { return change_; }
  /// How likely chance makes such a difference, or a larger one, from a true one of `from`.
  [[nodiscard]] double p_value(double from = 0) const;
  /// The true difference lies that far from it at most, with a chance of 1 - `level`.
  [[nodiscard]] double reach(double level) const;
  /// The fewest steps on each side that would distinguish the difference from `from` at that level,
  /// or 0: more steps would not, more captures may.
  [[nodiscard]] std::size_t steps_needed_from(double from, double level) const;

 private:
  /// The variance with `times_as_many` steps, and its degrees of freedom.
  [[nodiscard]] double variance(double times_as_many = 1) const;
  [[nodiscard]] double freedom(double times_as_many = 1) const;

  double change_ = 0;
  double steps_ = 0;  // that count, on both sides
  double of_steps_ = 0, of_captures_ = 0;
  double captures_freedom_ = 0;  // 0: one capture a side
};

}  // namespace prof::reports
