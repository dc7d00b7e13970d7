// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The most memory that was allocated on each GPU, and where. Reads the allocations once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "libprof/base/result.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// The call after which most was allocated, the first of several.
struct MemoryPeak {
  std::uint64_t bytes = 0;
  std::string layer, op, direction;
  std::optional<std::int64_t> step;
};

/// By trace and CUDA device.
using MemoryPeaks = std::map<std::pair<const TraceIdentity*, std::uint32_t>, MemoryPeak>;

/// Of memory of the GPU itself (cudaMalloc and its pools). A GPU without allocations has none.
Result<MemoryPeaks> memory_peaks(const RowInput& input);

}  // namespace prof::reports
