// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AttributedWork: the GPU work of a trace, each piece with its attribution (model/attribution.hpp),
// as a stream. The attributor makes it (attributor.hpp); reports read it, and may be given another.
#pragma once

#include "analyzers/model/attribution.hpp"
#include "analyzers/model/attribution_counts.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// A piece of GPU work and what it means.
struct AttributedRow {
  GpuRow gpu;
  Attribution attribution;
};

/// In launch order.
class AttributedWork : public RowCursor<const AttributedRow> {
 public:
  /// Counted over the rows that next() has returned.
  [[nodiscard]] virtual AttributionCounts counts() const = 0;
};

}  // namespace prof
