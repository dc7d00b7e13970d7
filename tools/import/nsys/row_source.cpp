// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/row_source.hpp"

namespace prof::importers::nsys {

ThreadId thread_of(TableRows& row, std::size_t column, TraceBuilder& builder) {
  const auto packed = row.integer(column);
  if (!packed) return {};
  return builder.thread(process_of(*packed), low_bits(static_cast<std::uint64_t>(*packed)));
}

}  // namespace prof::importers::nsys
