// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_costs.hpp"

#include <array>
#include <cstdio>

namespace prof::collectors {
namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

template <typename... Values>
std::string format(const char* form, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), form, values...);  // NOLINT: the forms are below.
  return text.data();
}

}  // namespace

void WindowCosts::opened(std::int64_t now_ns, std::int64_t took_ns) {
  opened_ns_ = now_ns;
  changing_ns_ += took_ns;
  ++windows_;
  is_step_captured_ = true;
}

void WindowCosts::closed(std::int64_t now_ns, std::int64_t took_ns) {
  if (opened_ns_) captured_ns_ += now_ns - *opened_ns_;
  opened_ns_.reset();
  changing_ns_ += took_ns;
}

void WindowCosts::step(std::int64_t number, std::int64_t now_ns) {
  if (step_ == number) return;
  if (step_ns_) {
    Steps& steps = is_step_captured_ ? inside_ : outside_;
    steps.ns += now_ns - *step_ns_;
    ++steps.count;
  }
  step_ = number;
  step_ns_ = now_ns;
  is_step_captured_ = opened_ns_.has_value();
}

std::string WindowCosts::text(std::int64_t now_ns) const {
  const std::int64_t run_ns = now_ns - begin_ns_;
  if (windows_ == 0 || run_ns <= 0) return {};
  const std::int64_t captured_ns = captured_ns_ + (opened_ns_ ? now_ns - *opened_ns_ : 0);
  std::string text = format(
      "in windows for %.1f s of %.1f s (%.2g %%); opening and closing took %.3f s",
      seconds(captured_ns), seconds(run_ns),
      100 * static_cast<double>(captured_ns) / static_cast<double>(run_ns), seconds(changing_ns_));
  if (inside_.count == 0 || outside_.count == 0) return text;
  const double more_ms =
      (inside_.mean_ms() - outside_.mean_ms()) * static_cast<double>(inside_.count);
  return text +
         format("; a step took %.3f ms in windows, %.3f ms outside: about %.2g %% of the run",
                inside_.mean_ms(), outside_.mean_ms(),
                100 * more_ms * 1e6 / static_cast<double>(run_ns));
}

}  // namespace prof::collectors
