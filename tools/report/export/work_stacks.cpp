// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Stacks of GPU work, see work_stacks.hpp.
#include "tools/report/export/work_stacks.hpp"

#include <fmt/format.h>

#include <utility>

#include "libprof/base/counted.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/reports/layer_view.hpp"
#include "tools/report/rows/gpu_work.hpp"

namespace prof::exports {
namespace {

/// Work outside of layers and ops is not mixed with them.
constexpr const char* kNoLayer = "(no layer)";
constexpr const char* kNoOp = "(no op)";

std::vector<std::string> stack_of(reports::WorkRow& work) {
  std::vector<std::string> stack;
  const OpAttribution& op = work.op();
  std::size_t begin = 0;
  const std::string layer = op.layer.empty() ? kNoLayer : op.layer;
  for (const std::size_t end : reports::level_ends(layer)) {
    stack.push_back(layer.substr(begin, end - begin));
    begin = end + 1;
  }
  stack.push_back(op.op.empty() ? kNoOp : op.op);
  const reports::Cell name = reports::work_cells::kernel_name(work, false);
  const auto* const kernel = std::get_if<std::string_view>(&name);
  stack.emplace_back(kernel != nullptr ? *kernel : "(unnamed)");
  return stack;
}

}  // namespace

Result<WorkStacks> sum_by_stack(const reports::RowInput& input) {
  WorkStacks stacks;
  reports::WorkCursor work(input, TraceReader::Work::kKernelsAndCopies);
  while (reports::WorkRow* const row = work.next()) {
    if (!row->row().has_times()) {
      ++stacks.without_time;
      continue;
    }
    const GpuOfTrace gpu{place_of(input.traces, row->trace()), row->row().device};
    std::int64_t& time_ns = stacks.gpus[gpu][stack_of(*row)];
    time_ns = sum_of_times(time_ns, row->row().duration_ns);
  }
  PROF_TRY(work.status());
  if (stacks.without_time > 0) {
    input.tally.remarks.push_back(
        fmt::format("left out: {} without a time",
                    counted(stacks.without_time, "piece of GPU work", "pieces of GPU work")));
  }
  return stacks;
}

std::string name_of(const TraceIdentity& trace) {
  return trace.rank ? fmt::format("{} (rank {})", trace.name, *trace.rank) : trace.name;
}

std::string gpu_name(TraceReader& trace, std::uint32_t device) {
  for (const DeviceRow& row : trace.devices()) {
    if (row.device == device && !row.name.empty()) {
      return fmt::format("GPU {} ({})", device, row.name);
    }
  }
  return fmt::format("GPU {}", device);
}

std::size_t place_of(const TraceSet& traces, const TraceIdentity& trace) {
  std::size_t place = 0;
  while (place + 1 < traces.size() && &traces.members()[place].identity != &trace) ++place;
  return place;
}

}  // namespace prof::exports
