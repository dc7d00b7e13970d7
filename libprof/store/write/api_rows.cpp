// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/api_rows.hpp"

#include <cstdint>

#include "libprof/store/schema/tables.hpp"

namespace prof {

void ApiRows::store(RowWriter& rows, const ApiRecord& record) {
  const auto [function, is_new] =
      functions_.intern({static_cast<std::uint64_t>(record.domain), record.function.value});
  if (is_new) rows.put<schema::kApiFunctionTable>(function, record.domain, record.function);
  const auto [form, is_new_form] =
      forms_.intern({static_cast<std::uint64_t>(function),
                     pack(record.thread.value, static_cast<std::uint32_t>(record.status))});
  if (is_new_form) rows.put<schema::kApiFormTable>(form, function, record.thread, record.status);
  const RowWriter::Time start = blocks_.since_start(
      rows, schema::launch_block_id(record.correlation), rows.relative(record.start_ns));
  rows.write_keyed<schema::kApiRowTable>(repeat_, record.correlation, record.depth, form, start,
                                         duration(record.start_ns, record.end_ns), record.stack);
}

void ApiRows::on_commit() {
  functions_.on_commit();
  forms_.on_commit();
}

void ApiRows::on_rollback() {
  functions_.on_rollback();
  forms_.on_rollback();
  blocks_.on_rollback();
  repeat_ = {};
}

}  // namespace prof
