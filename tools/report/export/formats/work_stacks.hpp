// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkStacks: the time of GPU work, summed up by stack: layers, from the outermost, op, kernel. Its
// memory grows with the number of different stacks, not with that of kernels.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::exports {

/// A GPU of one of the traces.
struct GpuOfTrace {
  std::size_t trace = 0;  ///< In the trace set.
  std::uint32_t device = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  auto operator<=>(const GpuOfTrace&) const = default;
};

struct WorkStacks {
  /// In the order of their texts.
  using TimeByStack = std::map<std::vector<std::string>, std::int64_t>;
  std::map<GpuOfTrace, TimeByStack> gpus;
  std::uint64_t without_time = 0;
};

/// Where a piece of work stands in stacks. Work outside of layers and ops is not mixed with them:
/// "(no layer)", "(no op)".
struct WorkNames {
  std::string_view layer, op, kernel;
};
WorkNames names_of(reports::WorkRow& work);
/// Outermost first.
std::vector<std::string_view> stack_of(const WorkNames& names);

/// Reads the GPU work of all traces. Work without a time is reported in the tally's remarks.
Result<WorkStacks> sum_by_stack(const reports::RowInput& input);
/// The remark about work without a time; empty: all of it has one.
std::string left_out_without_time(std::uint64_t count);

/// "trace.db", with the rank if it is known.
std::string name_of(const TraceIdentity& trace);
/// "GPU 0 (NVIDIA H200)".
std::string gpu_name(TraceReader& trace, std::uint32_t device);
/// The trace's place in the set.
std::size_t place_of(const TraceSet& traces, const TraceIdentity& trace);

}  // namespace prof::exports
