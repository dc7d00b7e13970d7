// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/memory_peaks.hpp"

#include "tools/report/rows/allocations.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {

Result<MemoryPeaks> memory_peaks(const RowInput& input) {
  MemoryPeaks peaks;
  RowsOf<AllocationRow> rows(kAllocations, input);
  while (const AllocationRow* const row = rows.next()) {
    const LiveMemory::Change& change = row->change;
    if (change.memory != MemoryKind::kDevice || !change.device) continue;
    const std::uint64_t live = change.live_bytes.value_or(0);
    if (live == 0) continue;
    MemoryPeak& peak = peaks[{&row->trace(), *change.device}];
    if (live <= peak.bytes) continue;
    const OpAttribution& op = *row->op;
    peak = {live, op.layer, op.op, std::string(name(op.direction)), row->step};
  }
  if (!rows.status()) return rows.status().error();
  return peaks;
}

}  // namespace prof::reports
