// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The formats that prof-import reads (docs/import.md).
#include <array>

#include "libprof/source/stream_reader.hpp"
#include "tools/import/importers/importer.hpp"
#include "tools/import/kineto/event_reader.hpp"
#include "tools/import/kineto/kineto_import.hpp"
#include "tools/import/kineto/processes.hpp"
#include "tools/import/nsys/nsys_import.hpp"
#include "tools/import/nvprof/database.hpp"
#include "tools/import/nvprof/nvprof_import.hpp"
#include "tools/import/tables/sqlite_signature.hpp"

namespace prof::importers {
namespace {

/// The project's own text form of the record stream (docs/stream_format.md).
Result<Imported> import_stream(const Source& source, RecordSink& sink) {
  const std::string& path = source.path;
  const Result<ReplayStats> stats = replay(path, sink, source.position);
  if (!stats) return stats.error();
  Imported imported{stats->records, ""};
  if (stats->truncated) {
    imported.warning = path + ": is cut off; everything before the cut was imported";
  } else if (stats->unknown_records != 0) {
    imported.warning = path + ": " + std::to_string(stats->unknown_records) +
                       " records of kinds unknown to this version";
  }
  return imported;
}

}  // namespace

std::span<const Importer> formats() {
  static constexpr std::array<Importer, 4> kFormats = {{
      {.name = "stream",
       .help = "record stream (JSON lines, plain or gzip) that a capture wrote",
       .sniff = is_record_stream,
       .read = import_stream},
      {.name = "kineto",
       .help = "trace of torch.profiler (Chrome trace, plain or gzip)",
       .sniff = is_kineto_trace,
       .processes = kineto_processes,
       .read = import_kineto},
      {.name = "nvprof",
       .help = "database of nvprof (nvprof -o FILE; PyProf's input)",
       .sniff = is_sqlite,
       .recognizes = nvprof::is_database,
       .processes = nvprof_processes,
       .read = import_nvprof},
      {.name = "nsys",
       .help = "export of Nsight Systems (nsys export --type sqlite)",
       .sniff = is_sqlite,
       .processes = nsys_processes,
       .read = import_nsys},
  }};
  return kFormats;
}

}  // namespace prof::importers
