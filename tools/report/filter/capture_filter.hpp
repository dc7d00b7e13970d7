// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The meaning of --capture for the captures of a trace. Which capture something belongs to is
// decided in libprof/store/read/captures.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::reports {

/// Whether what belongs to capture `number` is wanted. All of a trace without captures belongs to
/// its one capture, 1.
bool takes_capture(const RowFilter& filter, const Captures& captures,
                   std::optional<std::uint32_t> number);

/// An error if no trace has one of the captures that are asked for. It says which there are.
Status check_captures(const RowFilter& filter, const TraceSet& traces);

}  // namespace prof::reports
