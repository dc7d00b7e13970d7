// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The project's own text form of the record stream (docs/stream_format.md).
#include "libprof/source/stream_reader.hpp"
#include "tools/import/importers/registry.hpp"

namespace prof::importers {
namespace {

class StreamImporter final : public Importer {
 public:
  [[nodiscard]] std::string_view name() const override { return "stream"; }
  [[nodiscard]] std::string_view help() const override {
    return "record stream (JSON lines, plain or gzip) that a capture wrote";
  }
  [[nodiscard]] bool sniff(std::string_view first_bytes) const override {
    return is_record_stream(first_bytes);
  }
  [[nodiscard]] Result<Imported> read(const Source& source, RecordSink& sink) const override {
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
};

}  // namespace

void register_stream(Registry& registry) { registry.add(std::make_unique<StreamImporter>()); }

}  // namespace prof::importers
