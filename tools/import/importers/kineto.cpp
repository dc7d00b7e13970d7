// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What torch.profiler exports (docs/import.md).
#include "tools/import/importers/registry.hpp"
#include "tools/import/kineto/event_reader.hpp"
#include "tools/import/kineto/kineto_import.hpp"
#include "tools/import/kineto/processes.hpp"

namespace prof::importers {
namespace {

class KinetoImporter final : public Importer {
 public:
  [[nodiscard]] std::string_view name() const override { return "kineto"; }
  [[nodiscard]] std::string_view help() const override {
    return "trace of torch.profiler (Chrome trace, plain or gzip)";
  }
  [[nodiscard]] bool sniff(std::string_view first_bytes) const override {
    return is_kineto_trace(first_bytes);
  }
  [[nodiscard]] Result<std::vector<Process>> processes(const Source& source) const override {
    return kineto_processes(source);
  }
  [[nodiscard]] Result<Imported> read(const Source& source, RecordSink& sink) const override {
    return import_kineto(source, sink);
  }
};

}  // namespace

void register_kineto(Registry& registry) { registry.add(std::make_unique<KinetoImporter>()); }

}  // namespace prof::importers
