// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The events of CUDA graphs, by time: one stream of the tables graph_node, graph_exec, graph_end
// and graph_update, sorted by SQLite, which can use a temporary file.
#pragma once

#include <memory>

#include "libprof/store/read/row_cursor.hpp"
#include "libprof/store/read/trace_rows.hpp"
#include "libprof/store/read/trace_tables.hpp"

namespace prof {

std::unique_ptr<RowCursor<const GraphEventRow>> make_graph_event_cursor(
    std::shared_ptr<TraceTables> tables);
/// Launches of executables, ordered by correlation.
std::unique_ptr<RowCursor<const GraphLaunchRow>> make_graph_launch_cursor(
    std::shared_ptr<TraceTables> tables);

}  // namespace prof
