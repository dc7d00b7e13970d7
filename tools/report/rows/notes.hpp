// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts that the reader of a report must know about its traces: where they come from, how much of
// them is shown, and what is missing.
#pragma once

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/table/note_text.hpp"

namespace prof::reports {

/// Call after the report has run, when `tally` is complete.
Notes make_notes(const TraceSet& traces, const RowFilter& filter, const Tally& tally);

}  // namespace prof::reports
