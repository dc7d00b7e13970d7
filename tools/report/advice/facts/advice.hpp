// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Advice: something to change in the program, what that gains, and the rows that show it. Plain
// values.
#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace prof::reports {

/// Nanoseconds of a step. A gain that is known only within more than a factor of two is none.
struct Gain {
  double low_ns = 0, high_ns = 0;
  double most_ns = std::numeric_limits<double>::infinity();  ///< All that there is to gain.
};

struct Advice {
  std::string what;      ///< The advice in a person's words: "fuse attention".
  std::string evidence;  ///< The observation behind it: "softmax and 2 products of 12 layers".
  std::string where;     ///< The layers or ops concerned.
  Gain gain;
  /// Prints the rows behind it: a report, "kernels", and the arguments of prof-report that follow
  /// the trace.
  std::string show;
  bool shows_all_steps = false;  ///< The rows are not restricted to a step.
  /// Nor are they restricted to a GPU: the traces of all ranks are needed.
  bool shows_all_ranks = false;
  /// The fact in the step that rules it out: "23 waits for data amid a step". Empty: none was seen.
  std::string ruled_out = {};
  bool is_gain_known = true;   ///< False: `gain` is all that there is, and how much of it is not.
  std::string_view rule = {};  ///< Filled in by the caller of the rule.
};

}  // namespace prof::reports
