// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/range_rows.hpp"

#include "libprof/store/schema_tables.hpp"

namespace prof {

void RangeRows::store(RowWriter& rows, const RangeRecord& record) {
  const RowWriter::Time start = rows.relative(record.start_ns);
  // An end without a start is kept as closed, with no duration.
  RowWriter::Time length = duration(record.start_ns, record.end_ns);
  if (record.end_ns != 0 && !length) length = 0;
  const ThreadId end_thread = record.end_thread == record.thread ? ThreadId{} : record.end_thread;
  rows.write<schema::kRangeTable>(
      record.id, record.parent, record.thread, record.domain, record.kind, record.text,
      BlobOrNull{record.numbers}, start, length, end_thread, record.alias_of, record.category,
      record.color_argb, record.payload.type, record.payload.bits, record.op.signature,
      record.op.sequence, record.op.forward_thread);
}

}  // namespace prof
