// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/host_op_rows.hpp"

#include "libprof/store/schema/tables.hpp"

namespace prof {

void HostOpRows::store(RowWriter& rows, const HostOpRecord& record) {
  const RowWriter::Time start = rows.relative(record.start_ns);
  const auto [form, is_new] =
      forms_.intern({pack(record.thread.value, record.name.value), record.calls});
  if (is_new) {
    rows.put<schema::kHostOpFormTable>(form, record.thread, record.name, record.calls);
  }
  RowWriter::Time self;
  if (record.self_ns != record.total_ns) self = record.self_ns;
  rows.write<schema::kHostOpRowTable>(record.range, form, record.total_ns, self, start);
}

}  // namespace prof
