// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Aggregates over numbers, see aggregates.hpp.
#include "tools/report/sql/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace prof::reports {
namespace {

class Median : public SqlAggregate {
 public:
  void add(double value) override { values_.push_back(value); }

  [[nodiscard]] std::optional<double> result() override {
    const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
    std::nth_element(values_.begin(), middle, values_.end());
    if (values_.size() % 2 == 1) return *middle;
    const long double below = *std::max_element(values_.begin(), middle);
    return static_cast<double>((below + *middle) / 2);
  }

 private:
  std::vector<double> values_;
};

/// Welford's method: one pass, and no cancellation where the values are large and close.
class Deviation : public SqlAggregate {
 public:
  explicit Deviation(std::uint64_t lost_degrees) : lost_degrees_(lost_degrees) {}

  void add(double value) override {
    ++count_;
    const long double before = value - mean_;
    mean_ += before / static_cast<long double>(count_);
    squares_ += before * (value - mean_);
  }

  [[nodiscard]] std::optional<double> result() override {
    if (count_ <= lost_degrees_) return std::nullopt;
    return static_cast<double>(
        std::sqrt(squares_ / static_cast<long double>(count_ - lost_degrees_)));
  }

 private:
  std::uint64_t lost_degrees_, count_ = 0;
  long double mean_ = 0, squares_ = 0;
};

constexpr SqlAggregateFunction kAggregates[] = {
    {"median", []() -> std::unique_ptr<SqlAggregate> { return std::make_unique<Median>(); }},
    {"stddev_samp",
     []() -> std::unique_ptr<SqlAggregate> { return std::make_unique<Deviation>(1); }},
    {"stddev_pop",
     []() -> std::unique_ptr<SqlAggregate> { return std::make_unique<Deviation>(0); }},
};

}  // namespace

std::span<const SqlAggregateFunction> aggregates() { return kAggregates; }

}  // namespace prof::reports
