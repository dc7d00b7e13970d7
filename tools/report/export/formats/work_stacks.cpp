// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Stacks of GPU work, see work_stacks.hpp.
#include "tools/report/export/formats/work_stacks.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/filter/layer_view.hpp"

namespace prof::exports {
namespace {

/// Finds the time of a stack without making it: most work has a stack that was met before, and
/// stacks may have hundreds of layers.
class TimesByNames {
 public:
  explicit TimesByNames(WorkStacks& stacks) : stacks_(stacks) {}

  std::int64_t& time_ns(const GpuOfTrace& gpu, const WorkNames& names) {
    key_.clear();
    fmt::format_to(std::back_inserter(key_), "{} {} {} {} ", gpu.trace, gpu.device,
                   names.layer.size(), names.op.size());
    key_.append(names.layer).append(names.op).append(names.kernel);
    std::int64_t*& time_ns = times_[key_];
    if (time_ns == nullptr) {
      const std::vector<std::string_view> stack = stack_of(names);
      time_ns = &stacks_.gpus[gpu][{stack.begin(), stack.end()}];
    }
    return *time_ns;
  }

 private:
  WorkStacks& stacks_;
  std::unordered_map<std::string, std::int64_t*> times_;
  std::string key_;
};

}  // namespace

WorkNames names_of(reports::WorkRow& work) {
  const OpAttribution& op = work.op();
  const reports::Cell cell = reports::work_cells::kernel_name(work, false);
  const auto* const kernel = std::get_if<std::string_view>(&cell);
  return {op.layer.empty() ? std::string_view("(no layer)") : op.layer,
          op.op.empty() ? std::string_view("(no op)") : op.op,
          kernel != nullptr ? *kernel : "(unnamed)"};
}

std::vector<std::string_view> stack_of(const WorkNames& names) {
  std::vector<std::string_view> stack;
  std::size_t begin = 0;
  for (const std::size_t end : reports::level_ends(names.layer)) {
    stack.push_back(names.layer.substr(begin, end - begin));
    begin = end + 1;
  }
  stack.push_back(names.op);
  stack.push_back(names.kernel);
  return stack;
}

std::string left_out_without_time(std::uint64_t count) {
  if (count == 0) return {};
  return fmt::format("left out: {} without a time",
                     count_text(count, "piece of GPU work", "pieces of GPU work"));
}

Result<WorkStacks> sum_by_stack(const reports::RowInput& input) {
  WorkStacks stacks;
  TimesByNames times(stacks);
  reports::RowsOf<reports::WorkRow> work(reports::kGpuWork, input);
  while (reports::WorkRow* const row = work.next()) {
    if (!row->row().has_times()) {
      ++stacks.without_time;
      continue;
    }
    const GpuOfTrace gpu{place_of(input.traces, row->trace()), row->row().device};
    std::int64_t& time_ns = times.time_ns(gpu, names_of(*row));
    time_ns = sum_of_times(time_ns, row->row().duration_ns);
  }
  PROF_TRY(work.status());
  const std::string left_out = left_out_without_time(stacks.without_time);
  if (!left_out.empty()) input.tally.remarks.push_back(left_out);
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
