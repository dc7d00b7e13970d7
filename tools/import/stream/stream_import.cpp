// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports the project's own text form of the record stream (docs/formats/stream.md).
#include <string>

#include "libprof/source/stream_reader.hpp"
#include "tools/import/registry.hpp"

namespace prof::importers {
namespace {

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

void register_stream_import(Registry& registry);
void register_stream_import(Registry& registry) {
  registry.add({.name = "stream",
                .help = "record stream (JSON lines, plain or gzip) that a capture wrote",
                .sniff = is_record_stream,
                .read = import_stream});
}

}  // namespace prof::importers
