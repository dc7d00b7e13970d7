// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as text, see time_text.hpp. Whole numbers throughout: no time is rounded twice.
#include "tools/report/render/time_text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

namespace prof::reports {
namespace {

struct Unit {
  std::uint64_t ns;
  int digits;
  std::string_view name;
};

constexpr std::array<Unit, 3> kUnits = {
    {{1'000, 5, "us"}, {1'000'000, 5, "ms"}, {1'000'000'000, 6, "s"}}};

std::uint64_t power_of_ten(int exponent) {
  std::uint64_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

/// A time as a multiple of a unit, in steps of 10^-decimals.
struct Scaled {
  std::uint64_t steps = 0;
  int decimals = 0;

  [[nodiscard]] std::uint64_t whole() const { return steps / power_of_ten(decimals); }
};

/// With as many decimals as fit into the unit's digits after rounding.
Scaled scaled(std::uint64_t time_ns, const Unit& unit) {
  Scaled result{.decimals = unit.digits};
  do {
    --result.decimals;
    // Many decimals belong to small times: the product stays below 10^16.
    const std::uint64_t power = power_of_ten(result.decimals);
    const bool is_large = time_ns / unit.ns >= power_of_ten(unit.digits - result.decimals);
    if (is_large && result.decimals > 0) continue;
    result.steps = (time_ns * power + unit.ns / 2) / unit.ns;
    if (result.steps < power_of_ten(unit.digits)) break;
  } while (result.decimals > 0);
  return result;
}

}  // namespace

void append_time_digits(std::int64_t time_ns, std::string& out) {
  const auto to = std::back_inserter(out);
  std::uint64_t magnitude = static_cast<std::uint64_t>(time_ns);
  if (time_ns < 0) {
    out.push_back('-');
    magnitude = 0 - magnitude;
  }
  if (magnitude < 1000) {
    fmt::format_to(to, "{}ns", magnitude);
    return;
  }
  for (const Unit& unit : kUnits) {
    const Scaled time = scaled(magnitude, unit);
    if (time.whole() >= 1000 && &unit != &kUnits.back()) continue;
    fmt::format_to(to, "{}", time.whole());
    if (time.decimals > 0) {
      fmt::format_to(to, ".{:0{}}", time.steps % power_of_ten(time.decimals), time.decimals);
    }
    fmt::format_to(to, "{}", unit.name);
    return;
  }
}

}  // namespace prof::reports
