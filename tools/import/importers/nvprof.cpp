// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvprof writes with -o (docs/import.md).
#include "tools/import/nvprof/nvprof_import.hpp"

#include "tools/import/importers/registry.hpp"
#include "tools/import/nvprof/database.hpp"
#include "tools/import/tables/sqlite_signature.hpp"

namespace prof::importers {
namespace {

class NvprofImporter final : public Importer {
 public:
  [[nodiscard]] std::string_view name() const override { return "nvprof"; }
  [[nodiscard]] std::string_view help() const override {
    return "database of nvprof (nvprof -o FILE; PyProf's input)";
  }
  [[nodiscard]] bool sniff(std::string_view first_bytes) const override {
    return is_sqlite(first_bytes);
  }
  [[nodiscard]] bool recognizes(const std::string& path) const override {
    return nvprof::is_database(path);
  }
  [[nodiscard]] Result<std::vector<Process>> processes(const Source& source) const override {
    return nvprof_processes(source);
  }
  [[nodiscard]] Result<Imported> read(const Source& source, RecordSink& sink) const override {
    return import_nvprof(source, sink);
  }
};

}  // namespace

void register_nvprof(Registry& registry) { registry.add(std::make_unique<NvprofImporter>()); }

}  // namespace prof::importers
