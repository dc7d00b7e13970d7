// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_costs.hpp"

#include <gtest/gtest.h>

namespace prof::collectors {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(WindowCosts, NoWindowHasNone) {
  WindowCosts costs;
  costs.begin(0);
  costs.step(1, 10 * kMs);
  EXPECT_EQ(costs.text(1000 * kMs), "");
}

TEST(WindowCosts, StepsInsideAndOutside) {
  WindowCosts costs;
  costs.begin(0);
  std::int64_t now = 0;
  for (int step = 0; step < 100; ++step) {
    // A step takes 10 ms, in the windows, every tenth, 15 ms.
    costs.step(step, now);
    costs.step(step, now);  // Two tools mark it.
    if (step % 10 == 5) costs.opened(now, kMs);
    now += (step % 10 == 5 ? 15 : 10) * kMs;
    if (step % 10 == 5) costs.closed(now, 2 * kMs);
  }
  costs.step(100, now);
  EXPECT_EQ(costs.text(now),
            "in windows for 0.1 s of 1.1 s (14 %); opening and closing took 0.030 s; a step took "
            "15.000 ms in windows, 10.000 ms outside: about 4.8 % of the run");
}

TEST(WindowCosts, OneThatIsStillOpenCounts) {
  WindowCosts costs;
  costs.begin(0);
  costs.opened(1000 * kMs, 0);
  EXPECT_EQ(costs.text(4000 * kMs),
            "in windows for 3.0 s of 4.0 s (75 %); opening and closing took 0.000 s");
}

}  // namespace
}  // namespace prof::collectors
