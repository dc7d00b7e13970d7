// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/write/meta_rows.hpp"

#include <charconv>
#include <cstdint>

#include "libprof/store/schema/tables.hpp"

namespace prof {

void MetaRows::store(RowWriter& rows, const StringRecord& record) {
  rows.write<schema::kStringTable>(record.id, record.text);
}

void MetaRows::store(RowWriter& rows, const MetaRecord& record) {
  if (record.key == "schema_version" || record.key == "prof_version")
    return;  // The fact belongs to the replayed trace; this one has its own.
  if (record.key == "start_realtime_ns") {
    std::int64_t start = 0;
    std::from_chars(record.value.data(), record.value.data() + record.value.size(), start);
    if (!rows.start_known() && start != 0) rows.set_start(start);
    return;
  }
  rows.write<schema::kMetaTable>(record.key, record.value);
  if (record.key == "pid") {
    rows.run("UPDATE process SET pid=CAST(? AS INTEGER) WHERE id=1", record.value);
  } else if (record.key == "executable") {
    rows.run("UPDATE process SET executable=? WHERE id=1", record.value);
  } else if (record.key == "command_line") {
    rows.run("UPDATE process SET command_line=? WHERE id=1", record.value);
  }
}

}  // namespace prof
