// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// write_page: the template with the tables of a page in it.
#pragma once

#include <cstddef>
#include <span>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/common/output.hpp"
#include "tools/report/page/page_tables.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/table/note_text.hpp"

namespace prof::reports {

/// The input of a page. All of it must outlive the writing.
struct PageSource {
  const TraceSet& traces;
  /// For a comparison: the number of traces, the first ones, that are the base.
  std::size_t base_traces = 0;
  const Registry& registry;
  const RowFilter& filter;
  Reading& reading;
  std::span<const PageTable> tables = page_tables();
};

/// `notes` gets those of all tables. Stops early, with ok, where the output fails.
Status write_page(const PageSource& source, tools::Output& output, Notes& notes);

}  // namespace prof::reports
