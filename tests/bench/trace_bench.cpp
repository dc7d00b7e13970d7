// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: trace_bench TRACE.db
//
// The time to attribute a whole trace on one core, and to read the same rows: with SQLite alone,
// and with the reader's scan (libprof/store/read/table_scan.hpp). Times are this thread's CPU time,
// so a busy machine matters little. For a large trace: tests/bench/repeat_step.py. Budgets:
// docs/testing.md.
#include <sys/resource.h>

#include <cstdio>
#include <ctime>
#include <span>
#include <string>

#include "analyzers/attributor.hpp"
#include "libprof/store/read/table_scan.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"

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

constexpr std::string_view kKernel[] = {"correlation", "origin_id", "start_ns", "duration_ns",
                                        "form_id"};
constexpr std::string_view kCall[] = {"correlation", "form_id", "start_ns", "duration_ns",
                                      "range_id"};
constexpr std::string_view kRange[] = {"id",          "up",  "form_id", "start_ns",
                                       "duration_ns", "seq", "numbers"};

/// Reads these columns of a table; `pages` as in TableScan. Gives the rows.
std::uint64_t read_all(prof::SqliteDb& db, prof::DbPages* pages, std::string_view table,
                       std::span<const std::string_view> columns) {
  prof::TableScan scan;
  if (!scan.open(db, pages, table, columns)) return 0;
  std::uint64_t count = 0;
  std::uint64_t mixed = 0;
  for (; scan.next(); ++count) {
    scan.row([&](const auto& row) {
      for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
        mixed ^= row.unsigned_integer(column);
      }
    });
  }
  [[maybe_unused]] volatile std::uint64_t kept = mixed;
  return count;
}

void print(const std::string& what, double seconds, std::uint64_t count, const char* unit) {
  std::printf("%-30s %8.3f s  %10.0f %s/s  peak %6.1f MB\n", what.c_str(), seconds,
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
    auto pages = prof::DbPages::open(*db);
    for (const bool scanned : {false, true}) {
      prof::DbPages* const from = scanned && pages ? &*pages : nullptr;
      const std::string who = from == nullptr ? "SQLite" : "table scan";
      double start = cpu_seconds();
      std::uint64_t rows = read_all(*db, from, "kernel_row", kKernel);
      rows += read_all(*db, from, "api_row", kCall);
      print(who + ": kernels and calls", cpu_seconds() - start, rows, "rows");
      start = cpu_seconds();
      rows = read_all(*db, from, "range_row", kRange);
      print(who + ": ranges", cpu_seconds() - start, rows, "rows");
    }
  }
  auto reader = prof::TraceReader::open(argv[1]);
  if (!reader) return 1;
  const double start = cpu_seconds();
  const auto cursor = prof::attribute_work(**reader);
  std::uint64_t kernels = 0;
  while (cursor->next() != nullptr) ++kernels;
  print("attribution", cpu_seconds() - start, kernels, "kernels");
  const prof::AttributionCounts& counts = cursor->counts();
  std::printf("nodes linked %llu, by number alone %llu, missed %llu; unattributed kernels %llu\n",
              static_cast<unsigned long long>(counts.links.linked),
              static_cast<unsigned long long>(counts.links.other_name),
              static_cast<unsigned long long>(counts.links.missed),
              static_cast<unsigned long long>(counts.unattributed));
  return cursor->status().ok() ? 0 : 1;
}
