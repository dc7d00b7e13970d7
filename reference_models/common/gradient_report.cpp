// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See gradient_report.hpp.
#include "common/gradient_report.hpp"

#include <cmath>
#include <cstdio>

namespace ref {

double relative_error(const cpu::Tensor& got, const cpu::Tensor& want) {
  if (got.size() != want.size()) return INFINITY;
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += (got[i] - want[i]) * (got[i] - want[i]);
    norm += want[i] * want[i];
  }
  const double error = std::sqrt(difference) / (norm > 0 ? std::sqrt(norm) : 1);
  return std::isfinite(error) ? error : INFINITY;
}

double relative_move_error(const cpu::Tensor& got, const cpu::Tensor& want,
                           const cpu::Tensor& start) {
  const auto move = [&](cpu::Tensor tensor) {
    for (std::size_t i = 0; i < start.size(); ++i) tensor[i] -= start[i];
    return tensor;
  };
  return relative_error(move(got), move(want));
}

double relative_error(double got, double want) {
  const double error = std::fabs(got - want) / (want != 0 ? std::fabs(want) : 1);
  return std::isfinite(error) ? error : INFINITY;
}

void GradientReport::line(const std::string& what, double error, std::optional<double> exact_error,
                          std::optional<double> tolerance) {
  const bool passes = error <= tolerance.value_or(tolerance_);
  failures_ += passes ? 0 : 1;
  std::printf("%-28s relative error %8.1e  ", what.c_str(), error);
  if (exact_error) std::printf("(without rounding to storage %8.1e)  ", *exact_error);
  std::puts(passes ? "PASS" : "FAIL");
}

bool GradientReport::finish() const {
  if (failures_ == 0) {
    std::printf("check passed\n");
  } else {
    std::printf("check FAILED: %d lines\n", failures_);
  }
  return failures_ == 0;
}

}  // namespace ref
