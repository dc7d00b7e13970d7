// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/field.hpp"

#include "libprof/store/read/trace_set.hpp"
#include "tools/report/rows/row.hpp"

namespace prof::reports::trace_cells {

Cell name(Row& row) { return text(row.trace().name); }

Cell rank(Row& row) { return row.trace().rank ? number(*row.trace().rank) : absent(); }

Cell host(Row& row) { return text(row.trace().host); }

Cell run(Row& row) { return text(row.trace().run); }

Cell capture(Row& row) {
  const std::optional<std::uint32_t> capture = row.capture();
  return capture ? number(*capture) : absent();
}

}  // namespace prof::reports::trace_cells
