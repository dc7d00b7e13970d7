// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/api_rows.hpp"

#include <cstdint>

#include "libprof/store/schema_tables.hpp"

namespace prof {

void ApiRows::store(RowWriter& rows, const ApiRecord& record) {
  const auto [function, is_new] =
      functions_.intern({static_cast<std::uint64_t>(record.domain), record.function.value});
  if (is_new) rows.put<schema::kApiFunctionTable>(function, record.domain, record.function);
  const RowWriter::Time start = rows.relative(record.start_ns);
  rows.write_keyed<schema::kApiCallTable>(
      repeat_, record.correlation, record.depth, function, record.thread, start,
      duration(record.start_ns, record.end_ns), record.stack, record.status);
}

}  // namespace prof
