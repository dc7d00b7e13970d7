// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/row_source.hpp"

#include "libprof/model/job.hpp"

namespace prof::importers::nsys {

ThreadId thread_of(TableRows& row, std::size_t column, TraceBuilder& builder) {
  const auto packed = row.integer(column);
  if (!packed) return {};
  return builder.thread(process_of(*packed), low_bits(static_cast<std::uint64_t>(*packed)));
}

void name_thread(std::int64_t packed, std::string_view name, Target& target) {
  target.builder.name_thread(process_of(packed), low_bits(static_cast<std::uint64_t>(packed)),
                             name);
  constexpr std::string_view kRank = "MPI Rank ";
  if (!name.starts_with(kRank)) return;
  if (const auto rank = job_number(name.substr(kRank.size()))) target.mpi_rank = rank;
}

}  // namespace prof::importers::nsys
