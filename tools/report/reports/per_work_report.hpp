// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report of one row for each piece of GPU work, in launch order: what the reports `kernels` and
// `gpu` share. Streams; keeps nothing.
#pragma once

#include <string_view>

#include "tools/report/report.hpp"

namespace prof::reports {

class PerWorkReport : public Report {
 public:
  struct Traits {
    std::string_view name, help;
    TraceReader::Work work;
    std::string_view table_columns, machine_columns;
  };

  explicit PerWorkReport(const Traits& traits) : traits_(traits) {}

  [[nodiscard]] std::string_view name() const override { return traits_.name; }
  [[nodiscard]] std::string_view help() const override { return traits_.help; }
  [[nodiscard]] TraceReader::Work work() const override { return traits_.work; }
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
