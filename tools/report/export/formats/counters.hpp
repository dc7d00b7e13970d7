// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Counters: what a trace records of a quantity over time: the states of its devices, and the memory
// that PyTorch's allocator holds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "libprof/base/result.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::exports {

struct CounterSample {
  std::size_t trace = 0;
  std::optional<std::uint32_t> device;  ///< Absent: it is the host's.
  std::int64_t time_ns = 0;             ///< On the time axis of the traces of a host.
  std::string_view name, unit, category;
  reports::Cell value;  ///< Valid during the call.
};

using TakeSample = std::function<Status(const CounterSample&)>;

/// Reads the samples that the options choose. `without_time`: how many cannot be placed.
Status read_device_states(const reports::RowInput& input, const TakeSample& take,
                          std::uint64_t& without_time);
Status read_allocators(const reports::RowInput& input, const TakeSample& take,
                       std::uint64_t& without_time);

}  // namespace prof::exports
