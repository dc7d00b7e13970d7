// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/options.hpp"

#include <string>

namespace prof::importers {
namespace {

constexpr const char* kBrief =
    "Converts a recorded stream or another profiler's file into a trace (trace.db).";

}  // namespace

std::unique_ptr<tools::CommandLine> command_line(ImportOptions& options) {
  std::string known = "Formats, detected from the file's content:";
  for (const Importer& importer : formats()) {
    known.append("\n  ").append(importer.name).append(": ").append(importer.help);
  }
  auto line = std::make_unique<tools::CommandLine>("prof-import", kBrief);
  line->argument("input", options.input, "file to import");
  line->value({"-o,--output", "FILE", "trace to write (trace.db)", tools::Values::file("*.db")},
              options.output);
  line->flag("--force", options.force, "replace an existing trace");
  line->not_here("-f", tools::kFormNotForce);
  line->leaves_unknown_options();
  line->version();
  line->footer(known);
  return line;
}

tools::Manual manual() {
  ImportOptions options;
  const auto line = command_line(options);
  tools::ManualSection section{"FORMATS", {{"Detected from the file's content.", ""}}};
  for (const Importer& importer : formats()) {
    section.entries.push_back({std::string(importer.name), std::string(importer.help)});
  }
  return {.program = line->program(),
          .brief = kBrief,
          .arguments = "[OPTIONS] input",
          .argument = tools::Values::file("*"),
          .options = line->manual_options(),
          .sections = {section, tools::see_also("prof-report(1), prof-run(1)")}};
}

}  // namespace prof::importers
