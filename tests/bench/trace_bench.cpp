// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: trace_bench TRACE.db
//
// What it takes to attribute a whole trace on one core, and what SQLite alone takes to read the
// same rows. Times are of this thread's processor, so a busy machine does not matter much. A large
// trace: tests/bench/repeat_step.py. Budgets: docs/testing.md.
#include <sys/resource.h>

#include <cstdio>
#include <ctime>

#include "analyzers/attributor.hpp"
#include "libprof/store/sqlite_db.hpp"
#include "libprof/store/trace_reader.hpp"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

/// Reads every column of a table as the store does; gives the rows.
std::uint64_t read_all(prof::SqliteDb& db, const char* sql, int columns) {
  auto rows = db.prepare(sql);
  if (!rows) return 0;
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  while (rows->step() == prof::Statement::Step::kRow) {
    for (int column = 0; column < columns; ++column) sum += rows->integer(column);
    ++count;
  }
  if (sum == INT64_MIN) std::printf("\n");  // keeps the reading
  return count;
}

void print(const char* what, double seconds, std::uint64_t count, const char* unit) {
  std::printf("%-28s %8.3f s  %10.0f %s/s  peak %6.1f MB\n", what, seconds,
              static_cast<double>(count) / seconds, unit, peak_mb());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: trace_bench TRACE.db\n");
    return 2;
  }
  {
    auto db = prof::SqliteDb::open(argv[1], prof::SqliteDb::Mode::kReadOnly);
    if (!db) {
      std::fprintf(stderr, "trace_bench: %s cannot be opened\n", argv[1]);
      return 1;
    }
    double start = cpu_seconds();
    const auto kernels = read_all(
        *db, "SELECT correlation,origin_id,start_ns,duration_ns,queue_id,config_id FROM kernel", 6);
    const auto calls = read_all(
        *db, "SELECT correlation,function_id,thread_id,start_ns,duration_ns,range_id FROM api_call",
        6);
    print("SQLite: kernels and calls", cpu_seconds() - start, kernels + calls, "rows");
    start = cpu_seconds();
    const auto ranges = read_all(*db,
                                 "SELECT id,parent_id,alias_of_id,kind,thread_id,domain_id,"
                                 "text_id,start_ns,duration_ns FROM range",
                                 9);
    print("SQLite: ranges", cpu_seconds() - start, ranges, "rows");
  }
  auto reader = prof::TraceReader::open(argv[1]);
  if (!reader) return 1;
  const double start = cpu_seconds();
  prof::AttributedCursor cursor(**reader);
  std::uint64_t kernels = 0;
  while (cursor.next() != nullptr) ++kernels;
  print("attribution", cpu_seconds() - start, kernels, "kernels");
  const prof::AttributionCounts& counts = cursor.counts();
  std::printf("nodes linked %llu, by number alone %llu, missed %llu; unattributed kernels %llu\n",
              static_cast<unsigned long long>(counts.links.linked),
              static_cast<unsigned long long>(counts.links.other_name),
              static_cast<unsigned long long>(counts.links.missed),
              static_cast<unsigned long long>(counts.unattributed));
  return cursor.status().ok() ? 0 : 1;
}
