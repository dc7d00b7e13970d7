// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that sums kernels up: one row for each distinct value of the key columns that are
// chosen, most time first, then a total. What `layers` and `ops` share; choosing other key columns
// (-c) groups otherwise. Keeps one entry for each group, nothing for a kernel.
#pragma once

#include <string_view>

#include "tools/report/report.hpp"

namespace prof::reports {

class RollupReport : public Report {
 public:
  struct Traits {
    std::string_view name, help;
    std::string_view table_columns, machine_columns;
  };

  explicit RollupReport(const Traits& traits) : traits_(traits) {}

  [[nodiscard]] std::string_view name() const override { return traits_.name; }
  [[nodiscard]] std::string_view help() const override { return traits_.help; }
  [[nodiscard]] TraceReader::Work work() const override { return TraceReader::Work::kKernels; }
  [[nodiscard]] std::span<const Column> columns() const override;
  [[nodiscard]] std::string_view table_columns() const override { return traits_.table_columns; }
  [[nodiscard]] std::string_view machine_columns() const override {
    return traits_.machine_columns;
  }
  Status run(const ReportInput& input, std::span<const std::size_t> chosen,
             RowSink& sink) const override;

 private:
  Traits traits_;
};

}  // namespace prof::reports
