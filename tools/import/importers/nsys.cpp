// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What Nsight Systems exports as SQLite (docs/import.md).
#include "tools/import/importers/registry.hpp"
#include "tools/import/nsys/nsys_import.hpp"
#include "tools/import/tables/sqlite_signature.hpp"

namespace prof::importers {
namespace {

class NsysImporter final : public Importer {
 public:
  [[nodiscard]] std::string_view name() const override { return "nsys"; }
  [[nodiscard]] std::string_view help() const override {
    return "export of Nsight Systems (nsys export --type sqlite)";
  }
  [[nodiscard]] bool sniff(std::string_view first_bytes) const override {
    return is_sqlite(first_bytes);
  }
  [[nodiscard]] Result<std::vector<Process>> processes(const Source& source) const override {
    return nsys_processes(source);
  }
  [[nodiscard]] Result<Imported> read(const Source& source, RecordSink& sink) const override {
    return import_nsys(source, sink);
  }
};

}  // namespace

void register_nsys(Registry& registry) { registry.add(std::make_unique<NsysImporter>()); }

}  // namespace prof::importers
