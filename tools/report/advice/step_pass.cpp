// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/step_pass.hpp"

#include <utility>

namespace prof::reports {
namespace {

RowFilter without_columns(RowFilter filter) {
  filter.columns.clear();
  return filter;
}

}  // namespace

StepPass::StepPass(const RowInput& input)
    : filter_(without_columns(input.filter)),
      all_{input.traces, input.reading, filter_, input.tally, input.find_waits} {}

Status StepPass::read(const Take& take) {
  Result<StepsByDevice> steps = typical_steps(all_);
  if (!steps) return steps.error();
  steps_ = std::move(*steps);
  StepFactsCollector collector(all_, steps_);
  PROF_TRY(collector.status());
  RowsOf<WorkRow> cursor(kGpuWork, all_);
  while (WorkRow* const row = cursor.next()) {
    if (collector.add(*row) && take) take(*row);
  }
  PROF_TRY(cursor.status());
  Result<std::map<DeviceOfTrace, StepFacts>> facts = collector.finish();
  if (!facts) return facts.error();
  facts_ = std::move(*facts);
  return {};
}

}  // namespace prof::reports
