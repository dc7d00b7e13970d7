// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-import: makes a trace.db from a recorded stream or, later, from another profiler's file.
// Thin: command line, choice of the importer, exit code.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "libprof/store/trace_writer.hpp"
#include "tools/common/messages.hpp"
#include "tools/import/first_bytes.hpp"
#include "tools/import/importers/registry.hpp"

namespace {

using prof::tools::kDone;
using prof::tools::kFailed;
using prof::tools::kUsage;

constexpr const char* kProgram = "prof-import";

struct Options {
  std::string input;
  std::string output = "trace.db";
  bool force = false;
};

int fail(const prof::Error& error) {
  prof::tools::print_error(stderr, kProgram, error.to_line());
  return kFailed;
}

int import(const Options& options, const prof::importers::Registry& registry) {
  const auto start = prof::importers::first_bytes(options.input);
  if (!start) return fail(start.error());
  for (const auto& importer : registry.all()) {
    if (!importer->sniff(*start)) continue;
    auto writer = prof::TraceWriter::create(options.output, {.force = options.force});
    if (!writer) return fail(writer.error());
    const auto imported = importer->read(options.input, **writer);
    (*writer)->commit();
    const prof::Status stored = (*writer)->status();
    writer->reset();
    if (!imported || !stored) {
      unlink(options.output.c_str());  // Half a trace would pass for a whole one.
      return fail(stored ? imported.error() : stored.error());
    }
    if (!imported->warning.empty()) {
      prof::tools::print_error(stderr, kProgram, imported->warning);
    }
    return kDone;
  }
  return fail({"is of no format that can be imported", options.input, "see prof-import --help"});
}

int run(int argc, char** argv) {
  prof::importers::Registry registry;
  register_builtin(registry);
  std::string formats = "Formats, told by a file's content:";
  for (const auto& importer : registry.all()) {
    formats.append("\n  ").append(importer->name()).append(": ").append(importer->help());
  }
  CLI::App app{"Makes a trace (trace.db) from a file that something else wrote.", kProgram};
  Options options;
  app.add_option("input", options.input, "file to import")->required()->type_name("");
  app.add_option("-o,--output", options.output, "trace to write (trace.db)")->type_name("FILE");
  app.add_flag("--force", options.force, "replace an existing trace");
  app.set_version_flag("--version", "prof-import " PROF_VERSION_STRING, "show the version");
  app.footer(formats);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    return app.exit(answer);
  } catch (const CLI::ParseError& error) {
    prof::tools::print_error(stderr, kProgram, std::string(error.what()) + "; see --help");
    return kUsage;
  }
  return import(options, registry);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    prof::tools::print_error(stderr, kProgram, error.what());
    return kFailed;
  }
}
