// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/options.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace prof::importers {
namespace {

constexpr const char* kBrief =
    "Converts a recorded stream or another profiler's file into a trace (trace.db).";

}  // namespace

void define_options(CLI::App& app, const Registry& registry, ImportOptions& options) {
  std::string formats = "Formats, detected from the file's content:";
  for (const auto& importer : registry.all()) {
    formats.append("\n  ").append(importer->name()).append(": ").append(importer->help());
  }
  app.name("prof-import");
  app.description(kBrief);
  app.add_option("input", options.input, "file to import")->required()->type_name("");
  app.add_option("-o,--output", options.output, "trace to write (trace.db)")->type_name("FILE");
  app.add_flag("--force", options.force, "replace an existing trace");
  app.set_version_flag("--version", "prof-import " PROF_VERSION_STRING, "show the version");
  app.footer(formats);
}

tools::Manual manual(const Registry& registry) {
  CLI::App app;
  ImportOptions options;
  define_options(app, registry, options);
  tools::ManualSection formats{"FORMATS", {{"Detected from the file's content.", ""}}};
  for (const auto& importer : registry.all()) {
    formats.entries.push_back({std::string(importer->name()), std::string(importer->help())});
  }
  return {.program = app.get_name(),
          .brief = kBrief,
          .arguments = "[OPTIONS] input",
          .argument = tools::Values::file("*"),
          .options = tools::options_of(app, {{"--output", tools::Values::file("*.db")}}),
          .sections = {formats, {"SEE ALSO", {{"prof-report(1), prof-run(1)", ""}}}}};
}

}  // namespace prof::importers
