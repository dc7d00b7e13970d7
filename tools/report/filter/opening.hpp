// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the opening that an alias repeats, and for which it stands.
#pragma once

#include "libprof/store/read/trace_reader.hpp"

namespace prof::reports {

/// The opening that a range is, or that it repeats. Empty if the trace has no such range.
inline RangeRef opening_of(TraceReader& trace, const RangeRef& range) {
  return range && range->alias_of != 0 ? trace.range(range->alias_of) : range;
}

}  // namespace prof::reports
