// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/range_rows.hpp"

#include <algorithm>

#include "libprof/store/schema/tables.hpp"

namespace prof {

void RangeRows::store(RowWriter& rows, const RangeRecord& record) {
  Row row;
  row.id = record.id;
  row.parent = record.parent;
  row.start = rows.relative(record.start_ns);
  // An end without a start is kept as closed, with no duration.
  row.duration = duration(record.start_ns, record.end_ns);
  if (record.end_ns != 0 && !row.duration) row.duration = 0;
  row.seq = record.op.sequence;
  row.form = form_id(rows, record);
  row.numbers_at = numbers_.size();
  row.numbers_bytes = record.numbers.size();
  rows.expect(record.numbers.size());
  if (!rows.is_writing()) return;
  numbers_ += record.numbers;
  waiting_.push_back(row);
  if (record.kind != RangeRecord::Kind::kPushPop || record.alias_of != 0 ||
      record.payload.bits != 0) {
    rows.put<schema::kRangeRareTable>(record.id, record.kind, record.alias_of, record.payload.bits);
  }
  if (waiting_.size() == kMaxWaiting) flush(rows);
}

void RangeRows::flush(RowWriter& rows) {
  // A later record of a range replaces an earlier one.
  std::ranges::stable_sort(waiting_, {}, &Row::id);
  for (const Row& row : waiting_) write(rows, row);
  waiting_.clear();
  numbers_.clear();
}

void RangeRows::on_rollback() {
  forms_.on_rollback();
  blocks_.on_rollback();
  waiting_.clear();
  numbers_.clear();
}

void RangeRows::write(RowWriter& rows, const Row& row) {
  RowWriter::Time up;
  if (row.parent != 0) up = static_cast<std::int64_t>(row.id - row.parent);
  const RowWriter::Time start =
      blocks_.since_start(rows, schema::range_block_id(row.id), row.start);
  const auto numbers = std::string_view(numbers_).substr(row.numbers_at, row.numbers_bytes);
  rows.put<schema::kRangeRowTable>(row.id, up, row.form, start, row.duration, row.seq,
                                   BlobOrNull{numbers});
}

std::int64_t RangeRows::form_id(RowWriter& rows, const RangeRecord& record) {
  const ThreadId end_thread = record.end_thread == record.thread ? ThreadId{} : record.end_thread;
  const auto [id, is_new] = forms_.intern({pack(record.thread.value, record.domain.value),
                                           pack(record.text.value, record.op.signature.value),
                                           pack(end_thread.value, record.op.forward_thread.value),
                                           pack(record.category, record.color_argb),
                                           pack(static_cast<std::uint32_t>(record.kind),
                                                static_cast<std::uint32_t>(record.payload.type))});
  if (is_new) {
    rows.put<schema::kRangeFormTable>(
        id, record.thread, record.domain, record.kind, record.text, end_thread, record.category,
        record.color_argb, record.payload.type, record.op.signature, record.op.forward_thread);
  }
  return id;
}

}  // namespace prof
