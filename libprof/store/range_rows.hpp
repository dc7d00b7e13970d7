// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges, some of which are recorded twice or end without a start: table, and rows from records.
#pragma once

#include <array>

#include "libprof/model/records.hpp"
#include "libprof/store/row_writer.hpp"
#include "libprof/store/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kRangeColumns = {
    Column{"id", kSqlKey,
           "grows in the order in which a thread opens ranges; from 1, in blocks of 256 per thread, "
           "blocks in time order (libprof/model/range_ids.hpp)"},
    Column{"parent_id", kSqlNumber, "range.id of the next outer range on the thread's stack over all domains, 0: none"},
    Column{"thread_id", kSqlNumber, "thread.id"},
    Column{"domain_id", kSqlNumber, "domain.id"},
    Column{"kind", kSqlNumber, "0 push/pop, 1 start/end (never a parent), 2 alias"},
    Column{"text_id", kSqlNumber, "string.id of the text, or of its template"},
    Column{"numbers", kSqlBytes, "the template's numbers as varints (LEB128), NULL: text_id is the whole text"},
    Column{"start_ns", kSqlNumberOrNull, kTimeDoc},
    Column{"duration_ns", kSqlNumberOrNull, "ns; NULL: never closed"},
    Column{"end_thread_id", kSqlNumber, "thread.id of the thread that ended it; 0: thread_id"},
    Column{"alias_of_id", kSqlNumber, "kind 2: the same opening, on a stack that changed below it; else 0"},
    Column{"category", kSqlNumber, "0: none; see name"},
    Column{"color_argb", kSqlNumber, "0: none"},
    Column{"payload_type", kSqlNumber, "0 none, 1 uint64, 2 int64, 3 double, 4 uint32, 5 int32, 6 float"},
    Column{"payload", kSqlNumber, "the payload's bits, zero-extended"},
    Column{"signature_id", kSqlNumber, "string.id of the signature of the op that the range is: JSON, docs/op_facts.md; 0: none is stated"},
    Column{"seq", kSqlNumberOrNull, "autograd's sequence number of that op, NULL: none"},
    Column{"forward_thread_id", kSqlNumber, "thread.id of a backward node's forward op, 0: unknown"},
};
inline constexpr Table kRangeTable = {"range", "NVTX ranges, one row per opening. A range's id also identifies the whole stack that was open at the time: follow parent_id.", kRangeColumns, "", Conflict::kReplace};
// clang-format on

template <>
struct TablesOf<RangeRecord> {
  static constexpr std::array kTables = {kRangeTable};
};

}  // namespace prof::schema

namespace prof {

class RangeRows {
 public:
  static void store(RowWriter& rows, const RangeRecord& record);
};

}  // namespace prof
