// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a trace's ranges. A PyTorch program has two or three ranges for each kernel, so
// repeated values are in a form, times are relative to the start of the id's block, and rare values
// are in a table of their own. View range combines them, with one row for each range.
#pragma once

#include <array>
#include <cstdint>

#include "libprof/model/range_ids.hpp"
#include "libprof/model/record_kind.hpp"
#include "libprof/model/records/range.hpp"
#include "libprof/store/schema/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kRangeRowColumns = {
    Column{"id", kSqlKey, "range.id"},
    Column{"up", kSqlNumberOrNull, "id - parent_id, NULL: no parent"},
    Column{"form_id", kSqlNumber, "range_form.id"},
    Column{"start_ns", kSqlNumberOrNull, "ns since the start_ns of the id's range_block; NULL: unknown"},
    Column{"duration_ns", kSqlNumberOrNull, "ns; NULL: never closed"},
    Column{"seq", kSqlNumberOrNull, "range.seq"},
    Column{"numbers", kSqlBytes, "range.numbers"},
};
inline constexpr Table kRangeRowTable = {.name = "range_row", .doc = "Ranges: what is a range's own. Read view range.", .columns = kRangeRowColumns, .conflict = Conflict::kReplace};

inline constexpr std::array kRangeFormColumns = {
    Column{"id", kSqlKey, ""},
    Column{"thread_id", kSqlNumber, "thread.id"},
    Column{"domain_id", kSqlNumber, "domain.id"},
    Column{"kind", kSqlNumber, "0 push/pop, 1 start/end, 2 alias"},
    Column{"text_id", kSqlNumber, "string.id"},
    Column{"end_thread_id", kSqlNumber, "thread.id, 0: thread_id"},
    Column{"category", kSqlNumber, "0: none"},
    Column{"color_argb", kSqlNumber, "0: none"},
    Column{"payload_type", kSqlNumber, "as range.payload_type"},
    Column{"signature_id", kSqlNumber, "string.id, 0: none"},
    Column{"forward_thread_id", kSqlNumber, "thread.id, 0: unknown"},
};
inline constexpr Table kRangeFormTable = {.name = "range_form", .doc = "What ranges have in common. Duplicate rows may occur.", .columns = kRangeFormColumns};

inline constexpr std::array kRangeBlockColumns = {
    Column{"id", kSqlKey, "(range.id - 1) >> 8"},
    Column{"start_ns", kSqlNumber, "ns since the trace's start; range_row.start_ns counts from it"},
};
inline constexpr Table kRangeBlockTable = {.name = "range_block", .doc = "Blocks of range ids.", .columns = kRangeBlockColumns, .conflict = Conflict::kUpdate, .update = kKeepStart};

inline constexpr std::array kRangeRareColumns = {
    Column{"id", kSqlKey, "range.id"},
    Column{"kind", kSqlNumber, "as in the range's form"},
    Column{"alias_of_id", kSqlNumber, "as range.alias_of_id"},
    Column{"payload", kSqlNumber, "as range.payload"},
};
inline constexpr Table kRangeRareTable = {.name = "range_rare", .doc = "More of ranges that are of a kind but 0, or have a payload.", .columns = kRangeRareColumns, .conflict = Conflict::kReplace};

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
// clang-format on

// Each column is a look-up of its own: SQLite merges such a view into any query, on either side of
// a LEFT JOIN, and looks up only what the query names.
inline constexpr std::string_view kRangeSelect = R"sql(
  SELECT r.id, ifnull(r.id - r.up, 0) AS parent_id,
         (SELECT f.thread_id FROM range_form f WHERE f.id = r.form_id) AS thread_id,
         (SELECT f.domain_id FROM range_form f WHERE f.id = r.form_id) AS domain_id,
         (SELECT f.kind FROM range_form f WHERE f.id = r.form_id) AS kind,
         (SELECT f.text_id FROM range_form f WHERE f.id = r.form_id) AS text_id,
         r.numbers,
         (SELECT b.start_ns FROM range_block b WHERE b.id = (r.id - 1) >> 8) + r.start_ns
           AS start_ns,
         r.duration_ns,
         (SELECT f.end_thread_id FROM range_form f WHERE f.id = r.form_id) AS end_thread_id,
         ifnull((SELECT m.alias_of_id FROM range_rare m WHERE m.id = r.id), 0) AS alias_of_id,
         (SELECT f.category FROM range_form f WHERE f.id = r.form_id) AS category,
         (SELECT f.color_argb FROM range_form f WHERE f.id = r.form_id) AS color_argb,
         (SELECT f.payload_type FROM range_form f WHERE f.id = r.form_id) AS payload_type,
         ifnull((SELECT m.payload FROM range_rare m WHERE m.id = r.id), 0) AS payload,
         (SELECT f.signature_id FROM range_form f WHERE f.id = r.form_id) AS signature_id,
         r.seq,
         (SELECT f.forward_thread_id FROM range_form f WHERE f.id = r.form_id) AS forward_thread_id
  FROM range_row r)sql";
inline constexpr Table kRangeTable = {
    .name = "range",
    .doc =
        "NVTX ranges, one row per opening, as a view. A range's id also identifies the whole stack "
        "that was open at the time: follow parent_id.",
    .columns = kRangeColumns,
    .select = kRangeSelect,
    .rows = kRangeRowTable.name};

/// range_block.id of a range, as a signed number, since SQL has no unsigned ones.
constexpr std::int64_t range_block_id(RangeId id) { return static_cast<std::int64_t>(id - 1) >> 8; }
static_assert(range_block_id(kFirstRange + kRangeBlock) == 1);

template <>
struct TablesOf<RangeRecord> {
  static constexpr std::array kTables = {kRangeTable, kRangeRowTable, kRangeFormTable,
                                         kRangeBlockTable, kRangeRareTable};
};

}  // namespace prof::schema
