// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of SQL, see sql_functions.hpp.
#include "tools/report/query/sql_functions.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libprof/base/statistics.hpp"
#include "libprof/model/step_text.hpp"

namespace prof::reports {
namespace {

template <int percent>
class Percentile : public SqlAggregate {
 public:
  void add(double value) override { values_.push_back(value); }
  [[nodiscard]] std::optional<double> result() override {
    return quantile(values_, percent / 100.0);
  }

 private:
  std::vector<double> values_;
};

template <std::uint64_t lost_degrees>
class StandardDeviation : public SqlAggregate {
 public:
  void add(double value) override { deviation_.add(value); }
  [[nodiscard]] std::optional<double> result() override {
    const auto result = deviation_.result(lost_degrees);
    return result ? std::optional(static_cast<double>(*result)) : std::nullopt;
  }

 private:
  Deviation deviation_;
};

template <typename Aggregate>
std::unique_ptr<SqlAggregate> begin() {
  return std::make_unique<Aggregate>();
}

constexpr SqlAggregateFunction kAggregates[] = {
    {"median", begin<Percentile<50>>},
    {"p95", begin<Percentile<95>>},
    {"stddev_samp", begin<StandardDeviation<1>>},
    {"stddev_pop", begin<StandardDeviation<0>>},
};

constexpr SqlFunction kFunctions[] = {
    {"step_number", 1,
     [](std::span<const std::string_view> texts) { return step_number(texts[0]); }},
};

}  // namespace

std::span<const SqlAggregateFunction> aggregates() { return kAggregates; }

std::span<const SqlFunction> sql_functions() { return kFunctions; }

}  // namespace prof::reports
