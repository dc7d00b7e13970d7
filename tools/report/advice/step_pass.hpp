// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StepPass: what reports about a typical step read: the typical steps of all GPUs of all traces and
// their facts, in one go. It reads them all, whatever --device and --rank say: the time of a GPU's
// step depends on what its process and other ranks do meanwhile. GpuFilter picks the lines.
#pragma once

#include <functional>
#include <map>

#include "tools/report/advice/facts/step_facts.hpp"

namespace prof::reports {

class StepPass {
 public:
  explicit StepPass(const RowInput& input);
  StepPass(const StepPass&) = delete;
  StepPass& operator=(const StepPass&) = delete;

  using Take = std::function<void(WorkRow& row)>;
  /// Reads the GPU work of each trace twice. `take` sees what is in typical steps.
  Status read(const Take& take = {});

  /// The same filter, for everything else that a report reads.
  [[nodiscard]] const RowInput& all_places() const { return all_; }
  [[nodiscard]] const StepsByDevice& steps() const { return steps_; }
  [[nodiscard]] const std::map<DeviceOfTrace, StepFacts>& facts() const { return facts_; }

 private:
  RowFilter filter_;
  RowInput all_;  // with that filter
  StepsByDevice steps_;
  std::map<DeviceOfTrace, StepFacts> facts_;
};

}  // namespace prof::reports
