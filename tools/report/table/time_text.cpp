// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as text, see time_text.hpp. nvprof's are whole numbers throughout: none is rounded twice.
#include "tools/report/table/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "libprof/base/count_text.hpp"

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

constexpr int kDecimalsOfNs = 6;
constexpr double kMostGrouped = 1e15;  // Doubles have all digits below.

/// Decimals that leave a positive value so many digits; negative where fewer than those before the
/// point are left.
int decimals_for(double value, int digits) {
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(value)));
  // Rounding may add a digit: 9.996 is 10.0.
  const bool adds_one = std::round(value * std::pow(10.0, decimals)) >= std::pow(10.0, digits);
  return adds_one ? decimals - 1 : decimals;
}

/// With so many decimals, thousands grouped.
void append_fixed(double value, int decimals, std::string& out) {
  if (decimals > 0) {
    fmt::format_to(std::back_inserter(out), "{:.{}f}", value, std::min(decimals, kDecimalsOfNs));
  } else if (value < kMostGrouped) {
    out += grouped(static_cast<std::uint64_t>(std::llround(value)));
  } else {
    fmt::format_to(std::back_inserter(out), "{:.3g}", value);
  }
}

}  // namespace

void append_ms(double time_ns, std::string& out) {
  const double ms = std::abs(time_ns) / 1e6;
  if (time_ns < 0) out.push_back('-');
  append_fixed(ms, std::abs(time_ns) < 0.5 ? 0 : decimals_for(ms, 3), out);
}

void append_estimate(double value, std::string& out) {
  const double magnitude = std::abs(value);
  const int decimals = magnitude > 0 ? decimals_for(magnitude, 2) : 0;
  const double step = std::pow(10.0, std::max(0, -decimals));
  out += value < 0 ? "~-" : "~";
  append_fixed(step > 1 ? std::round(magnitude / step) * step : magnitude, decimals, out);
}

std::string estimate_text(double value) {
  std::string text;
  append_estimate(value, text);
  return text;
}

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
